//! A transcript as the stages read it: its sentences, where its utterances stand in the text, and their times.

use std::ops::Range;
use std::sync::Arc;

use super::positions::Positions;
use super::sentences;
use crate::text::TextTranscript;

/// How far past the last utterance the next is looked for, in bytes: texts may have more in them than utterances.
const LOOK_AHEAD: usize = 4096;

/// One sentence: its place in the text, and the utterance it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sentence {
    pub(super) range: Range<usize>,
    pub(super) utterance: Option<usize>,
}

/// The transcript, taken apart once.
pub(super) struct Reading {
    transcript: Arc<TextTranscript>,
    positions: Positions,
    pub(super) sentences: Vec<Sentence>,
    /// Where each utterance stands in the text; absent where its words are not there.
    places: Vec<Option<Range<usize>>>,
}

impl Reading {
    pub(super) fn new(transcript: Arc<TextTranscript>) -> Self {
        let places = places(&transcript);
        let sentences = sentences_of(&transcript.text, &places);
        Self { positions: Positions::of(&transcript.text), sentences, places, transcript }
    }

    pub(super) fn text(&self) -> &str {
        &self.transcript.text
    }

    pub(super) fn transcript(&self) -> &TextTranscript {
        &self.transcript
    }

    pub(super) fn sentence(&self, nth: usize) -> &str {
        &self.text()[self.sentences[nth].range.clone()]
    }

    pub(super) fn place(&self, utterance: usize) -> Option<Range<usize>> {
        self.places.get(utterance).cloned().flatten()
    }

    pub(super) fn speaker(&self, sentence: usize) -> Option<&str> {
        let utterance = self.sentences[sentence].utterance?;
        self.transcript.utterances[utterance].speaker.as_deref()
    }

    /// Whether more than one person speaks, as far as the transcript tells.
    pub(super) fn is_conversation(&self) -> bool {
        let mut speakers =
            self.transcript.utterances.iter().filter_map(|utterance| utterance.speaker.as_deref());
        let first = speakers.next();
        speakers.any(|other| Some(other) != first)
    }

    /// A place in bytes as a count of Unicode scalar values.
    pub(super) fn character(&self, byte: usize) -> usize {
        self.positions.character(self.text(), byte)
    }

    /// When the words at this byte begin, reckoned by their place in the utterance that holds them.
    pub(super) fn time(&self, byte: usize) -> Option<f64> {
        let utterance = self.utterance_at(byte)?;
        let (range, told) = (self.place(utterance)?, &self.transcript.utterances[utterance]);
        let (start, end) = (told.start?, told.end.unwrap_or(told.start?));
        let share = (byte - range.start) as f64 / range.len().max(1) as f64;
        Some(hundredths(start + (end - start).max(0.0) * share))
    }

    /// When the utterance that holds the last of these bytes is over, or the part of it that they reach into.
    pub(super) fn end_time(&self, range: &Range<usize>) -> Option<f64> {
        let last = range.end.checked_sub(1).filter(|last| *last >= range.start)?;
        let utterance = self.utterance_at(last)?;
        let (place, told) = (self.place(utterance)?, &self.transcript.utterances[utterance]);
        let (start, end) = (told.start?, told.end?);
        let share = (range.end.min(place.end) - place.start) as f64 / place.len().max(1) as f64;
        Some(hundredths(start + (end - start).max(0.0) * share))
    }

    fn utterance_at(&self, byte: usize) -> Option<usize> {
        let sentence =
            self.sentences.partition_point(|sentence| sentence.range.start <= byte).checked_sub(1)?;
        let utterance = self.sentences[sentence].utterance?;
        self.place(utterance).filter(|place| place.contains(&byte)).map(|_| utterance)
    }

    /// Runs of whole sentences of about so many bytes each.
    pub(super) fn windows(&self, bytes: usize) -> Vec<Range<usize>> {
        let mut windows = Vec::new();
        let mut first = 0;
        for nth in 0..self.sentences.len() {
            let from = self.sentences[first].range.start;
            if self.sentences[nth].range.end - from > bytes && nth > first {
                windows.push(first..nth);
                first = nth;
            }
        }
        if first < self.sentences.len() {
            windows.push(first..self.sentences.len());
        }
        windows
    }
}

pub(super) fn hundredths(seconds: f64) -> f64 {
    (seconds * 100.0).round() / 100.0
}

/// Utterances are found in order, each after the one before.
fn places(transcript: &TextTranscript) -> Vec<Option<Range<usize>>> {
    let text = transcript.text.as_str();
    let mut from = 0;
    let find = |utterance: &crate::text::TextUtterance| {
        let said = utterance.text.trim();
        if said.is_empty() {
            return None;
        }
        let mut limit = (from + said.len() + LOOK_AHEAD).min(text.len());
        while !text.is_char_boundary(limit) {
            limit += 1;
        }
        let start = from + text[from..limit].find(said)?;
        from = start + said.len();
        Some(start..from)
    };
    transcript.utterances.iter().map(find).collect()
}

/// The sentences of each utterance, and of what lies between utterances.
fn sentences_of(text: &str, places: &[Option<Range<usize>>]) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut add = |range: Range<usize>, utterance: Option<usize>| {
        let ranges = sentences::split(text, range).into_iter();
        found.extend(ranges.map(|range| Sentence { range, utterance }));
    };
    let mut done = 0;
    for (nth, place) in places.iter().enumerate() {
        let Some(place) = place else { continue };
        add(done..place.start, None);
        add(place.clone(), Some(nth));
        done = place.end;
    }
    add(done..text.len(), None);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::TextUtterance;

    fn said(text: &str, start: f64, end: f64) -> TextUtterance {
        TextUtterance { text: text.into(), speaker: None, start: Some(start), end: Some(end) }
    }

    fn reading(text: &str, utterances: Vec<TextUtterance>) -> Reading {
        Reading::new(Arc::new(TextTranscript { text: text.into(), language: None, utterances }))
    }

    #[test]
    fn sentences_belong_to_utterances_and_have_their_times() {
        let text = "Good day. How are you Fine, thanks.";
        let utterances = vec![said("Good day. How are you", 0.0, 2.1), said("Fine, thanks.", 3.0, 4.0)];
        let reading = reading(text, utterances);
        let told: Vec<(&str, Option<usize>)> =
            (0..3).map(|nth| (reading.sentence(nth), reading.sentences[nth].utterance)).collect();
        assert_eq!(told, [("Good day.", Some(0)), ("How are you", Some(0)), ("Fine, thanks.", Some(1))]);
        assert_eq!(reading.time(10), Some(1.0));
        assert_eq!(reading.time(22), Some(3.0));
        assert_eq!(reading.end_time(&(0..35)), Some(4.0));
    }

    #[test]
    fn utterances_that_are_not_in_the_text_have_no_place() {
        let reading = reading("One. Two.", vec![said("Elsewhere.", 0.0, 1.0), said("Two.", 1.0, 2.0)]);
        assert_eq!((reading.place(0), reading.place(1)), (None, Some(5..9)));
        assert_eq!(reading.time(0), None);
    }

    #[test]
    fn windows_hold_whole_sentences_and_all_of_them() {
        let text = "One sentence here. ".repeat(50);
        let reading = reading(&text, vec![]);
        let windows = reading.windows(100);
        assert!(windows.len() > 5 && windows.iter().all(|window| window.len() <= 6));
        assert_eq!(windows.iter().map(ExactSizeIterator::len).sum::<usize>(), 50);
    }
}
