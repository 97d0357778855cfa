//! Summary: the sentences most similar to the whole transcript and different from each other, in their order.

use std::ops::Range;
use std::sync::Arc;

use auris_domain::step::output::Summary;
use auris_domain::step::spec::SummaryType;
use auris_engine_core::EngineError;

use super::embedder::{Embedder, similarity};
use super::limits;
use super::parsed_transcript::ParsedTranscript;
use super::passages::Passages;
use super::stop_words::content_words;
use super::windowed_work::WindowedWork;

/// A transcript with more passages is summarized part by part, so that its end counts as much as its beginning.
const WHOLE: usize = 40;
/// How much the score of a sentence is lowered for its similarity to a chosen one.
const REPETITION: f32 = 0.45;

/// Fillers at the start of a sentence.
const OPENERS: [&str; 10] = ["oh", "um", "uh", "yeah", "okay", "ok", "er", "mm", "hmm", "and"];
/// Words that are fillers at the start of a sentence if a comma follows.
const OPENERS_WITH_COMMA: [&str; 13] = [
    "well", "so", "now", "right", "like", "no", "yes", "actually", "anyway", "alright", "but", "you know",
    "i mean",
];

pub(super) fn run(
    parsed: &Arc<ParsedTranscript>,
    kind: SummaryType,
    embedder: &Arc<Embedder>,
    work: &mut WindowedWork<'_>,
) -> Result<Summary, EngineError> {
    if parsed.sentences.is_empty() {
        return Ok(Summary { kind, text: String::new(), bullets: vec![] });
    }
    let passages = Passages::read(parsed, embedder, work)?;
    let count = wanted(kind, passages.list.len());
    let chosen = choose(parsed, &passages, count);
    let sentences: Vec<String> = chosen.into_iter().map(|nth| with_speaker(parsed, nth)).collect();
    let text = sentences.join(" ");
    let bullets = match kind {
        SummaryType::Bullets => sentences,
        SummaryType::Brief | SummaryType::Detailed => vec![],
    };
    Ok(Summary { kind, text, bullets })
}

fn wanted(kind: SummaryType, passages: usize) -> usize {
    match kind {
        SummaryType::Brief => match passages {
            0..=3 => 1,
            4..=15 => 2,
            _ => 3,
        },
        SummaryType::Bullets => (passages / 3).clamp(2, 7),
        SummaryType::Detailed => (passages / 3).clamp(3, 20),
    }
}

/// The chosen sentences, in order.
fn choose(parsed: &ParsedTranscript, passages: &Passages, count: usize) -> Vec<usize> {
    let total = passages.list.len();
    let mut chosen = if total <= WHOLE || count <= 3 {
        best(parsed, passages, 0..total, count)
    } else {
        let parts = (0..count).map(|part| total * part / count..total * (part + 1) / count);
        parts.flat_map(|part| best(parsed, passages, part, 1)).collect()
    };
    chosen.sort_unstable();
    chosen.into_iter().map(|nth| passages.list[nth].representative).collect()
}

/// The best passages of a part that differ from each other.
fn best(parsed: &ParsedTranscript, passages: &Passages, part: Range<usize>, count: usize) -> Vec<usize> {
    let whole = passages.mean(0..passages.list.len());
    let own = passages.mean(part.clone());
    let mut open: Vec<(usize, f32)> = part
        .map(|nth| {
            let vector = &passages.vectors[nth];
            let near = 0.5 * similarity(vector, &own) + 0.5 * similarity(vector, &whole);
            (nth, near + quality(parsed, passages.list[nth].representative))
        })
        .collect();
    let mut chosen = Vec::new();
    while chosen.len() < count {
        let best = open
            .iter()
            .enumerate()
            .max_by(|one, other| one.1.1.total_cmp(&other.1.1).then(other.0.cmp(&one.0)));
        let Some((index, (nth, _))) = best.map(|(index, found)| (index, *found)) else { break };
        open.swap_remove(index);
        for (other, score) in &mut open {
            *score -= REPETITION * similarity(&passages.vectors[*other], &passages.vectors[nth]).max(0.0);
        }
        chosen.push(nth);
    }
    chosen
}

/// The quality of a sentence apart from its meaning: complete, with content, not a question.
pub(super) fn quality(parsed: &ParsedTranscript, sentence: usize) -> f32 {
    let text = parsed.sentence(sentence);
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
    let filler = if text.to_lowercase().contains("you know") { -0.08 } else { 0.0 };
    length + content + question + filler + if named { 0.06 } else { 0.0 }
}

/// A sentence without fillers at its start, with its speaker if there are several.
fn with_speaker(parsed: &ParsedTranscript, sentence: usize) -> String {
    let text = tidy(parsed.sentence(sentence));
    match parsed.speaker(sentence).filter(|_| parsed.is_conversation()) {
        Some(speaker) => format!("{}: {text}", short_name(speaker)),
        None => text,
    }
}

fn short_name(speaker: &str) -> &str {
    let end = speaker.char_indices().nth(limits::SPEAKER_CHARACTERS);
    end.map_or(speaker, |(end, _)| &speaker[..end])
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
    fn a_very_long_name_is_cut() {
        assert_eq!(short_name("Zoë"), "Zoë");
        assert_eq!(short_name(&"ë".repeat(1_000_000)), "ë".repeat(limits::SPEAKER_CHARACTERS));
    }

    #[test]
    fn only_fillers_are_removed() {
        assert_eq!(tidy("Oh, well, I'm originally from Chicago also."), "I'm originally from Chicago also.");
        assert_eq!(tidy("Now I live in Texas."), "Now I live in Texas.");
        assert_eq!(tidy("Yeah, right."), "Yeah, right.");
    }
}
