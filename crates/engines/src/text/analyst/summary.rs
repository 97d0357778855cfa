//! Summary: the sentences nearest to what is said as a whole, in their order, each other kept apart.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Value, json};

use super::desk::Desk;
use super::embedder::{Embedder, nearness};
use super::passages::Passages;
use super::reading::Reading;
use super::stop_words::content_words;
use crate::EngineError;
use crate::text::SummaryKind;

/// More passages than this are summarised part by part, so that the end is heard as well as the beginning.
const WHOLE: usize = 40;
/// How much a sentence loses that says what another says.
const REPETITION: f32 = 0.45;

/// Words that begin a sentence without adding to it, alone or before a comma.
const OPENERS: [&str; 10] = ["oh", "um", "uh", "yeah", "okay", "ok", "er", "mm", "hmm", "and"];
const OPENERS_WITH_COMMA: [&str; 13] = [
    "well", "so", "now", "right", "like", "no", "yes", "actually", "anyway", "alright", "but", "you know",
    "i mean",
];

pub(super) fn run(
    reading: &Arc<Reading>,
    kind: SummaryKind,
    embedder: &Arc<Embedder>,
    desk: &mut Desk<'_>,
) -> Result<Value, EngineError> {
    if reading.sentences.is_empty() {
        return Ok(json!({"type": kind, "text": "", "bullets": []}));
    }
    let passages = Passages::read(reading, embedder, desk)?;
    let count = wanted(kind, passages.list.len());
    let chosen = choose(reading, &passages, count);
    let sentences: Vec<String> = chosen.into_iter().map(|nth| told(reading, nth)).collect();
    let text = sentences.join(" ");
    let bullets = match kind {
        SummaryKind::Bullets => sentences,
        SummaryKind::Brief | SummaryKind::Detailed => vec![],
    };
    Ok(json!({"type": kind, "text": text, "bullets": bullets}))
}

fn wanted(kind: SummaryKind, passages: usize) -> usize {
    match kind {
        SummaryKind::Brief => match passages {
            0..=3 => 1,
            4..=15 => 2,
            _ => 3,
        },
        SummaryKind::Bullets => (passages / 3).clamp(2, 7),
        SummaryKind::Detailed => (passages / 3).clamp(3, 20),
    }
}

/// The sentences to tell, in order.
fn choose(reading: &Reading, passages: &Passages, count: usize) -> Vec<usize> {
    let total = passages.list.len();
    let mut chosen = if total <= WHOLE || count <= 3 {
        best(reading, passages, 0..total, count)
    } else {
        let parts = (0..count).map(|part| total * part / count..total * (part + 1) / count);
        parts.flat_map(|part| best(reading, passages, part, 1)).collect()
    };
    chosen.sort_unstable();
    chosen.into_iter().map(|nth| passages.list[nth].spoken_for).collect()
}

/// The passages that say most of a part, unlike each other.
fn best(reading: &Reading, passages: &Passages, part: Range<usize>, count: usize) -> Vec<usize> {
    let (whole, own) = (passages.mean(0..passages.list.len()), passages.mean(part.clone()));
    let mut open: Vec<(usize, f32)> = part
        .map(|nth| {
            let vector = &passages.vectors[nth];
            let near = 0.5 * nearness(vector, &own) + 0.5 * nearness(vector, &whole);
            (nth, near + worth(reading, passages.list[nth].spoken_for))
        })
        .collect();
    let mut chosen = Vec::new();
    while chosen.len() < count {
        let best = open
            .iter()
            .enumerate()
            .max_by(|one, other| one.1.1.total_cmp(&other.1.1).then(other.0.cmp(&one.0)));
        let Some((place, (nth, _))) = best.map(|(place, found)| (place, *found)) else { break };
        open.swap_remove(place);
        for (other, score) in &mut open {
            *score -= REPETITION * nearness(&passages.vectors[*other], &passages.vectors[nth]).max(0.0);
        }
        chosen.push(nth);
    }
    chosen
}

/// What speaks for a sentence besides its meaning: that it is whole, says something, and is no question.
pub(super) fn worth(reading: &Reading, sentence: usize) -> f32 {
    let text = reading.sentence(sentence);
    let words = text.split_whitespace().count();
    let length = match words {
        0..=3 => -0.5,
        4..=5 => -0.15,
        6..=32 => 0.05,
        _ => 0.0,
    };
    let content = (content_words(text).min(8) as f32) * 0.02;
    let question = if text.ends_with('?') { -0.15 } else { 0.0 };
    let named = text.split_whitespace().skip(1).any(|word| {
        word.chars().next().is_some_and(|letter| letter.is_uppercase() || letter.is_numeric()) && word != "I"
    });
    let lean = if text.to_lowercase().contains("you know") { -0.08 } else { 0.0 };
    length + content + question + lean + if named { 0.06 } else { 0.0 }
}

/// A sentence as it is told: without a filler at its start, with its speaker where there are several.
fn told(reading: &Reading, sentence: usize) -> String {
    let text = tidy(reading.sentence(sentence));
    match reading.speaker(sentence).filter(|_| reading.is_conversation()) {
        Some(speaker) => format!("{speaker}: {text}"),
        None => text,
    }
}

pub(super) fn tidy(sentence: &str) -> String {
    let mut rest = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    while let Some(shorter) = without_opener(&rest) {
        rest = shorter;
    }
    let mut letters = rest.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn without_opener(sentence: &str) -> Option<String> {
    let lower = sentence.to_lowercase();
    let fits = |opener: &str, comma: bool| {
        let rest = lower.strip_prefix(opener)?;
        let after = rest.strip_prefix(", ").or_else(|| if comma { None } else { rest.strip_prefix(' ') })?;
        Some(after.chars().count())
    };
    let bare = OPENERS.iter().find_map(|opener| fits(opener, false));
    let left = bare.or_else(|| OPENERS_WITH_COMMA.iter().find_map(|opener| fits(opener, true)))?;
    let rest: String = sentence.chars().skip(sentence.chars().count().saturating_sub(left)).collect();
    (rest.split_whitespace().count() >= 3).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_loses_its_fillers_and_nothing_else() {
        assert_eq!(tidy("Oh, well, I'm originally from Chicago also."), "I'm originally from Chicago also.");
        assert_eq!(tidy("Now I live in Texas."), "Now I live in Texas.");
        assert_eq!(tidy("Yeah, right."), "Yeah, right.");
    }
}
