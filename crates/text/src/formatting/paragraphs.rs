//! Splits sentences into paragraphs: at a new speaker, after an empty line, after a pause, or when one gets too long.

use std::ops::Range;

use crate::limits;
use crate::parsed_transcript::ParsedTranscript;

/// Seconds between two utterances that begin a paragraph, if the one before has at least two sentences.
const PAUSE: f64 = 2.0;
/// Maximum sentences of a paragraph.
const MAX_SENTENCES: usize = 6;
/// Bytes after which the next sentence begins a paragraph.
const LONG: usize = 700;
/// Bytes after which even a part of a sentence begins a paragraph.
const TOO_LONG: usize = 1400;

/// The ranges of sentences of all paragraphs.
pub(super) fn split(parsed: &ParsedTranscript) -> Vec<Range<usize>> {
    let mut paragraphs = Vec::new();
    let mut first = 0;
    for nth in 1..parsed.sentences.len() {
        let is_limited = paragraphs.len() >= limits::PARAGRAPHS;
        if is_too_long(parsed, first, nth) || !is_limited && begins(parsed, first, nth) {
            paragraphs.push(first..nth);
            first = nth;
        }
    }
    if first < parsed.sentences.len() {
        paragraphs.push(first..parsed.sentences.len());
    }
    paragraphs
}

fn is_too_long(parsed: &ParsedTranscript, first: usize, nth: usize) -> bool {
    length(parsed, first, nth) >= TOO_LONG
}

/// The bytes of the paragraph from its first sentence up to the `nth`.
fn length(parsed: &ParsedTranscript, first: usize, nth: usize) -> usize {
    parsed.sentences[nth - 1].range.end - parsed.sentences[first].range.start
}

fn begins(parsed: &ParsedTranscript, first: usize, nth: usize) -> bool {
    let before = &parsed.sentences[nth - 1];
    let this = &parsed.sentences[nth];
    let gap = &parsed.text()[before.range.end..this.range.start];
    let whole =
        parsed.sentence(nth - 1).ends_with(['.', '!', '?', '"', '”']) || before.utterance != this.utterance;
    parsed.speaker(nth - 1) != parsed.speaker(nth)
        || gap.matches('\n').count() > 1
        || nth - first >= 2 && pause(parsed, nth) >= PAUSE
        || whole && (nth - first >= MAX_SENTENCES || length(parsed, first, nth) >= LONG)
}

/// The seconds before a sentence that begins an utterance; 0 if unknown.
fn pause(parsed: &ParsedTranscript, nth: usize) -> f64 {
    let utterances = &parsed.transcript().utterances;
    let utterance = |sentence: usize| parsed.sentences[sentence].utterance.map(|nth| (nth, &utterances[nth]));
    match (utterance(nth - 1), utterance(nth)) {
        (Some((one, before)), Some((other, this))) if one != other => {
            before.end.zip(this.start).map_or(0.0, |(end, start)| start - end)
        }
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use auris_engine_core::text::{TextTranscript, TextUtterance};

    #[test]
    fn a_long_monologue_is_split_between_sentences() {
        let text = "This is a sentence of some length that says little. ".repeat(40);
        let parsed = ParsedTranscript::new(Arc::new(TextTranscript { text, ..TextTranscript::default() }));
        let paragraphs = split(&parsed);
        assert!(paragraphs.iter().all(|paragraph| paragraph.len() <= MAX_SENTENCES) && paragraphs.len() >= 6);
    }

    #[test]
    fn after_the_limit_paragraphs_are_divided_by_length_only() {
        let text = "A.\n\n".repeat(2 * limits::PARAGRAPHS);
        let parsed = ParsedTranscript::new(Arc::new(TextTranscript { text, ..TextTranscript::default() }));
        let paragraphs = split(&parsed);
        assert_eq!(paragraphs[limits::PARAGRAPHS - 1].len(), 1);
        assert!(paragraphs.len() < limits::PARAGRAPHS + 1_000, "{}", paragraphs.len());
        let sentences: usize = paragraphs.iter().map(ExactSizeIterator::len).sum();
        assert_eq!(sentences, 2 * limits::PARAGRAPHS);
    }

    #[test]
    fn a_pause_begins_a_paragraph() {
        let said = |text: &str, start: f64, end: f64| TextUtterance {
            text: text.into(),
            speaker: None,
            start: Some(start),
            end: Some(end),
        };
        let utterances = vec![said("One. Two.", 0.0, 2.0), said("Three.", 5.0, 6.0)];
        let transcript = TextTranscript { text: "One. Two. Three.".into(), language: None, utterances };
        assert_eq!(split(&ParsedTranscript::new(Arc::new(transcript))), [0..2, 2..3]);
    }
}
