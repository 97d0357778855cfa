//! Entities: dates, amounts and addresses by their form; names by a net, or by known names, capitals and the words
//! around them.

mod addresses;
mod business_dates;
mod business_lengths;
mod business_months;
mod business_quarters;
mod business_spans;
mod business_years;
mod cased_window;
mod date_line;
mod found;
mod kinds;
mod merge;
mod name_filter;
mod names;
mod net;
mod net_entities;
mod net_spans;
mod spoken_signs;
mod spoken_strings;

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use auris_domain::step::output::{Entities, Entity};
use auris_engine_core::EngineError;

use super::limits;
use super::parsed_transcript::ParsedTranscript;
use super::spoken::{Expression, Meaning, SpokenLine};
use super::windowed_work::WindowedWork;
use super::words::{Token, tokens};
use cased_window::CasedWindow;
use found::{Found, span};
use kinds::{EntityKind, WantedKinds};
use names::{Guess, KnownNames};
use net::EntityNet;
pub use net::EntityNetSlot;
use net_entities::NetEntities;
use spoken_signs::SpokenAddress;

/// Bytes of text in one work item.
const WINDOW: usize = 32_768;

pub(super) fn run(
    parsed: &Arc<ParsedTranscript>,
    types: &[String],
    net: Option<Arc<EntityNet>>,
    work: &mut WindowedWork<'_>,
) -> Result<Entities, EngineError> {
    let wanted = WantedKinds::new(types);
    // Without a net the names of the whole text are collected first, because one mention often shows what another one is.
    let is_needed = net.is_none() && wanted.has_names();
    let known = if is_needed { known_names(parsed, work)? } else { KnownNames::default() };
    let shared = parsed.clone();
    let find = move |window: Range<usize>| Ok(in_window(&shared, window, &known, net.as_deref()));
    let mut entities: Vec<Entity> = Vec::new();
    work.for_each(parsed.windows(WINDOW), find, |found: Vec<Found>| {
        let free = limits::ENTITIES - entities.len();
        let named = found.iter().filter_map(|found| Some((found, wanted.name_of(found.kind)?)));
        entities.extend(named.take(free).map(|(found, kind)| entity(parsed, found, kind)));
        if entities.len() < limits::ENTITIES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(Entities { entities })
}

/// The names of the whole text.
fn known_names(
    parsed: &Arc<ParsedTranscript>,
    work: &mut WindowedWork<'_>,
) -> Result<KnownNames, EngineError> {
    let mut known = KnownNames::default();
    let shared = parsed.clone();
    let guess = move |window: Range<usize>| Ok(guesses(&shared, window));
    work.for_each(parsed.windows(WINDOW), guess, |found: Vec<Guess>| {
        found.into_iter().for_each(|guess| known.add(guess));
        ControlFlow::Continue(())
    })?;
    Ok(known)
}

fn entity(parsed: &ParsedTranscript, found: &Found, kind: &str) -> Entity {
    Entity {
        text: parsed.text()[found.range.clone()].to_owned(),
        kind: kind.to_owned(),
        start_char: parsed.character(found.range.start),
        end_char: parsed.character(found.range.end),
        confidence: Some(found.confidence),
        start: parsed.time(found.range.start),
    }
}

fn guesses(parsed: &ParsedTranscript, sentences: Range<usize>) -> Vec<Guess> {
    sentences
        .flat_map(|nth| {
            let tokens = tokens(parsed.text(), parsed.sentences[nth].range.clone());
            names::guesses(parsed.text(), &tokens)
        })
        .collect()
}

/// The entities of consecutive sentences.
fn in_window(
    parsed: &ParsedTranscript,
    window: Range<usize>,
    known: &KnownNames,
    net: Option<&EntityNet>,
) -> Vec<Found> {
    let window = CasedWindow::read(parsed.text(), &parsed.sentences[window], net.is_some());
    let text = window.text.as_ref();
    let by_net = net.map(|net| NetEntities::find(net, &window));
    let in_sentence = |range: &Range<usize>| {
        let tokens = tokens(text, range.clone());
        let addresses = SpokenAddress::all(&tokens);
        let mut in_form = in_form(text, &tokens);
        addresses
            .iter()
            .filter_map(|address| address.mail(&tokens))
            .for_each(|mail| merge::add(&mut in_form, mail));
        let mut names = names::find(text, &tokens, known);
        let found = match &by_net {
            Some(net) => {
                names.retain(|name| !net.is_other(&name.range));
                merge::with_net(in_form, &net.within(range), names)
            }
            None => merge::in_order(in_form, names),
        };
        without_signs(found, &addresses, &tokens)
    };
    let found = window.sentences.iter().flat_map(in_sentence);
    found.map(|found| found.moved(window.start)).collect()
}

/// The entities without the words of spoken addresses that stand for signs.
fn without_signs(found: Vec<Found>, addresses: &[SpokenAddress], tokens: &[Token]) -> Vec<Found> {
    let cut = |found| addresses.iter().try_fold(found, |found, address| address.without_signs(found, tokens));
    found.into_iter().filter_map(cut).collect()
}

/// The entities with a fixed form.
fn in_form(text: &str, tokens: &[Token]) -> Vec<Found> {
    let mut found = addresses::find(text, tokens);
    spoken_strings::find(tokens).into_iter().for_each(|string| merge::add(&mut found, string));
    let line = SpokenLine { tokens };
    for expression in line.expressions() {
        if let Some(kind) = kind_of(line, &expression) {
            let confidence = if kind == EntityKind::Number { 0.9 } else { 0.95 };
            merge::add(&mut found, Found { range: span(tokens, &expression.tokens), kind, confidence });
        }
    }
    business_dates::find(text, tokens).into_iter().fold(found, merge::date)
}

fn kind_of(line: SpokenLine<'_>, expression: &Expression) -> Option<EntityKind> {
    match expression.meaning {
        Meaning::Number => Some(EntityKind::Number),
        Meaning::Ordinal => None,
        Meaning::Money => Some(EntityKind::Money),
        Meaning::Percent => Some(EntityKind::Percent),
        Meaning::Date => Some(EntityKind::Date),
        Meaning::Time => Some(EntityKind::Time),
        Meaning::Phone if spoken_strings::is_other_number(line, expression.tokens.start) => {
            Some(EntityKind::Number)
        }
        Meaning::Phone => Some(EntityKind::Phone),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auris_engine_core::text::TextTranscript;

    fn found(text: &str) -> Vec<(String, &'static str)> {
        let parsed = ParsedTranscript::new(Arc::new(TextTranscript {
            text: text.into(),
            ..TextTranscript::default()
        }));
        let count = parsed.sentences.len();
        let mut known = KnownNames::default();
        guesses(&parsed, 0..count).into_iter().for_each(|guess| known.add(guess));
        let all = in_window(&parsed, 0..count, &known, None).into_iter();
        all.map(|found| (text[found.range].to_owned(), found.kind.name())).collect()
    }

    fn is(text: &str, wanted: &[(&str, &str)]) {
        let wanted: Vec<(String, &str)> =
            wanted.iter().map(|(text, kind)| ((*text).to_owned(), *kind)).collect();
        assert_eq!(found(text), wanted, "in `{text}`");
    }

    #[test]
    fn entities_with_a_fixed_form_are_found() {
        is(
            "Mail anna.b@example.com or see https://example.com/x.",
            &[("anna.b@example.com", "email"), ("https://example.com/x", "url")],
        );
        is("It's bob at example dot org.", &[("bob at example dot org", "email")]);
        is("CALL ANNA DOT SMITH AT EXAMPLE DOT COM", &[("ANNA DOT SMITH AT EXAMPLE DOT COM", "email")]);
        is(
            "I paid $40 on Monday, twenty percent off.",
            &[("$40", "money"), ("Monday", "date"), ("twenty percent", "percent")],
        );
        is("Call 212-555-0199 at 3 PM.", &[("212-555-0199", "phone"), ("3 PM", "time")]);
    }

    #[test]
    fn people_places_and_organizations_are_found() {
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
    fn other_capitalized_words_are_not_names() {
        is("Well, I don't know. Okay then. Thanks! They all call me a Yankee down here.", &[]);
        is("The PDF is on TV. English is fine.", &[]);
    }

    #[test]
    fn a_name_is_recognized_after_its_introduction() {
        is("My name is Quillon. Quillon is here.", &[("Quillon", "person"), ("Quillon", "person")]);
    }

    #[test]
    fn places_and_people_are_found_in_lower_case() {
        is("hello this is diane in new jersey", &[("diane", "person"), ("new jersey", "location")]);
    }
}
