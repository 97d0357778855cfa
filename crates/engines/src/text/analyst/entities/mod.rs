//! Entities: patterns for what has a form, names by capitals, known names and the words around them.

mod addresses;
mod kinds;
mod names;

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Value, json};

use super::desk::Desk;
use super::reading::Reading;
use super::spoken::{Line, Meaning};
use super::words::{Kind, Token, tokens};
use crate::EngineError;
use kinds::{EntityKind, Wanted};
use names::{Guess, Known};

/// Text read in one piece of work, in bytes.
const WINDOW: usize = 32_768;

/// One entity at its place in the text.
#[derive(Debug, Clone, PartialEq)]
struct Found {
    range: Range<usize>,
    kind: EntityKind,
    confidence: f64,
}

pub(super) fn run(
    reading: &Arc<Reading>,
    types: &[String],
    desk: &mut Desk<'_>,
) -> Result<Value, EngineError> {
    let wanted = Wanted::new(types);
    let windows = reading.windows(WINDOW);
    // Who is who in the whole text, before any name is judged by itself.
    let mut known = Known::default();
    if wanted.names() {
        let pages = reading.clone();
        let guesses = desk.each(windows.clone(), move |window| Ok(guesses(&pages, window)))?;
        guesses.into_iter().flatten().for_each(|guess| known.hear(guess));
    }
    let (pages, known) = (reading.clone(), Arc::new(known));
    let found = desk.each(windows, move |window| {
        Ok(window.flat_map(|nth| in_sentence(&pages, nth, &known)).collect::<Vec<_>>())
    })?;
    let entries = found.into_iter().flatten().filter_map(|found| {
        let kind = wanted.name_of(found.kind)?;
        Some(entry(reading, &found, kind))
    });
    Ok(json!({"entities": entries.collect::<Vec<_>>()}))
}

fn entry(reading: &Reading, found: &Found, kind: &str) -> Value {
    json!({
        "text": &reading.text()[found.range.clone()],
        "type": kind,
        "start_char": reading.character(found.range.start),
        "end_char": reading.character(found.range.end),
        "confidence": found.confidence,
        "start": reading.time(found.range.start),
    })
}

fn guesses(reading: &Reading, sentences: Range<usize>) -> Vec<Guess> {
    sentences
        .flat_map(|nth| {
            let tokens = tokens(reading.text(), reading.sentences[nth].range.clone());
            names::guesses(reading.text(), &tokens)
        })
        .collect()
}

/// What has a form comes first; names take what is left.
fn in_sentence(reading: &Reading, nth: usize, known: &Known) -> Vec<Found> {
    let text = reading.text();
    let tokens = tokens(text, reading.sentences[nth].range.clone());
    let mut found = addresses::find(text, &tokens);
    for expression in (Line { tokens: &tokens }).expressions() {
        if let Some(kind) = kind_of(expression.meaning) {
            let confidence = if kind == EntityKind::Number { 0.9 } else { 0.95 };
            add(&mut found, Found { range: span(&tokens, &expression.tokens), kind, confidence });
        }
    }
    for name in names::find(text, &tokens, known) {
        add(&mut found, name);
    }
    found.sort_by_key(|found| found.range.start);
    found
}

fn add(found: &mut Vec<Found>, new: Found) {
    let free = found.iter().all(|old| old.range.end <= new.range.start || new.range.end <= old.range.start);
    if free && !new.range.is_empty() {
        found.push(new);
    }
}

fn span(tokens: &[Token], of: &Range<usize>) -> Range<usize> {
    match (tokens.get(of.start), tokens.get(of.end.wrapping_sub(1))) {
        (Some(first), Some(last)) => first.range.start..last.range.end,
        _ => 0..0,
    }
}

fn kind_of(meaning: Meaning) -> Option<EntityKind> {
    match meaning {
        Meaning::Number => Some(EntityKind::Number),
        Meaning::Ordinal => None,
        Meaning::Money => Some(EntityKind::Money),
        Meaning::Percent => Some(EntityKind::Percent),
        Meaning::Date => Some(EntityKind::Date),
        Meaning::Time => Some(EntityKind::Time),
        Meaning::Phone => Some(EntityKind::Phone),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::TextTranscript;

    fn found(text: &str) -> Vec<(String, &'static str)> {
        let reading =
            Reading::new(Arc::new(TextTranscript { text: text.into(), ..TextTranscript::default() }));
        let count = reading.sentences.len();
        let mut known = Known::default();
        guesses(&reading, 0..count).into_iter().for_each(|guess| known.hear(guess));
        let all = (0..count).flat_map(|nth| in_sentence(&reading, nth, &known));
        all.map(|found| (text[found.range].to_owned(), found.kind.name())).collect()
    }

    fn is(text: &str, wanted: &[(&str, &str)]) {
        let wanted: Vec<(String, &str)> =
            wanted.iter().map(|(text, kind)| ((*text).to_owned(), *kind)).collect();
        assert_eq!(found(text), wanted, "in `{text}`");
    }

    #[test]
    fn forms_are_recognised() {
        is(
            "Mail anna.b@example.com or see https://example.com/x.",
            &[("anna.b@example.com", "email"), ("https://example.com/x", "url")],
        );
        is("It's bob at example dot org.", &[("bob at example dot org", "email")]);
        is(
            "I paid $40 on Monday, twenty percent off.",
            &[("$40", "money"), ("Monday", "date"), ("twenty percent", "percent")],
        );
        is("Call 212-555-0199 at 3 PM.", &[("212-555-0199", "phone"), ("3 PM", "time")]);
    }

    #[test]
    fn people_and_places_of_a_call() {
        is("This is Diane in New Jersey.", &[("Diane", "person"), ("New Jersey", "location")]);
        is(
            "And I'm Sheila in Texas, originally from Chicago.",
            &[("Sheila", "person"), ("Texas", "location"), ("Chicago", "location")],
        );
        is(
            "My name is Xanthe Okafor from Acme Logistics.",
            &[("Xanthe Okafor", "person"), ("Acme Logistics", "organization")],
        );
        is("Dr. Patel works at Google.", &[("Dr. Patel", "person"), ("Google", "organization")]);
    }

    #[test]
    fn words_with_a_capital_for_other_reasons_are_no_names() {
        is("Well, I don't know. Okay then. Thanks! They all call me a Yankee down here.", &[]);
        is("The PDF is on TV. English is fine.", &[]);
    }

    #[test]
    fn a_name_once_known_is_known_everywhere() {
        is("My name is Quillon. Quillon is here.", &[("Quillon", "person"), ("Quillon", "person")]);
    }

    #[test]
    fn small_letters_hide_no_place() {
        is("hello this is diane in new jersey", &[("diane", "person"), ("new jersey", "location")]);
    }
}
