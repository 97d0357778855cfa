//! Where paragraphs begin: with another speaker, after an empty line, after a pause, or when one has grown long.

use std::ops::Range;

use super::super::reading::Reading;

/// A pause of this many seconds between utterances begins a paragraph, once the last has two sentences.
const PAUSE: f64 = 2.0;
const MOST_SENTENCES: usize = 6;
/// Bytes after which the next sentence begins a paragraph, and those after which even a part of a sentence does.
const LONG: usize = 700;
const TOO_LONG: usize = 1400;

/// Runs of sentences.
pub(super) fn split(reading: &Reading) -> Vec<Range<usize>> {
    let mut paragraphs = Vec::new();
    let mut first = 0;
    for nth in 1..reading.sentences.len() {
        if begins(reading, first, nth) {
            paragraphs.push(first..nth);
            first = nth;
        }
    }
    if first < reading.sentences.len() {
        paragraphs.push(first..reading.sentences.len());
    }
    paragraphs
}

fn begins(reading: &Reading, first: usize, nth: usize) -> bool {
    let (before, this) = (&reading.sentences[nth - 1], &reading.sentences[nth]);
    let gap = &reading.text()[before.range.end..this.range.start];
    let length = before.range.end - reading.sentences[first].range.start;
    let whole =
        reading.sentence(nth - 1).ends_with(['.', '!', '?', '"', '”']) || before.utterance != this.utterance;
    reading.speaker(nth - 1) != reading.speaker(nth)
        || gap.matches('\n').count() > 1
        || nth - first >= 2 && pause(reading, nth) >= PAUSE
        || whole && (nth - first >= MOST_SENTENCES || length >= LONG)
        || length >= TOO_LONG
}

/// The silence before a sentence, where it begins an utterance and times are known.
fn pause(reading: &Reading, nth: usize) -> f64 {
    let utterances = &reading.transcript().utterances;
    let told = |sentence: usize| reading.sentences[sentence].utterance.map(|nth| (nth, &utterances[nth]));
    match (told(nth - 1), told(nth)) {
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
    use crate::text::{TextTranscript, TextUtterance};

    #[test]
    fn a_long_monologue_is_broken_up_between_sentences() {
        let text = "This is a sentence of some length that says little. ".repeat(40);
        let reading = Reading::new(Arc::new(TextTranscript { text, ..TextTranscript::default() }));
        let paragraphs = split(&reading);
        assert!(
            paragraphs.iter().all(|paragraph| paragraph.len() <= MOST_SENTENCES) && paragraphs.len() >= 6
        );
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
        assert_eq!(split(&Reading::new(Arc::new(transcript))), [0..2, 2..3]);
    }
}
