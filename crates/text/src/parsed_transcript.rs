//! A transcript divided into sentences, with the positions and times of its utterances.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use auris_engine_core::round_to_hundredths;
use auris_engine_core::text::{TextTranscript, TextUtterance};

use super::letter_case::restored_to_read;
use super::limits;
use super::positions::Positions;
use super::sentences;

/// Bytes after the last utterance in which the next one is searched: a text may contain more than the utterances.
const LOOK_AHEAD: usize = 4096;

/// Maximum speakers whose labels are kept out of phrases.
const MAX_SPEAKERS: usize = 1_000;

/// A sentence: its bytes in the text, and its utterance.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sentence {
    pub(super) range: Range<usize>,
    pub(super) utterance: Option<usize>,
}

/// A parsed transcript.
pub(super) struct ParsedTranscript {
    transcript: Arc<TextTranscript>,
    positions: Positions,
    pub(super) sentences: Vec<Sentence>,
    /// The bytes of each utterance in the text; `None` if the text does not contain it.
    utterance_ranges: Vec<Option<Range<usize>>>,
    /// The words of the speakers' labels in lower case.
    speaker_words: HashSet<String>,
    /// The text with restored capitals, once it is needed; `None` if it has both cases itself.
    restored: OnceLock<Option<String>>,
}

impl ParsedTranscript {
    pub(super) fn new(transcript: Arc<TextTranscript>) -> Self {
        let utterance_ranges = utterance_ranges(&transcript);
        let sentences = sentences_of(&transcript.text, &utterance_ranges);
        let positions = Positions::of(&transcript.text);
        let speaker_words = speaker_words(&transcript);
        let restored = OnceLock::new();
        Self { positions, sentences, utterance_ranges, transcript, speaker_words, restored }
    }

    pub(super) fn text(&self) -> &str {
        &self.transcript.text
    }

    pub(super) fn transcript(&self) -> &TextTranscript {
        &self.transcript
    }

    /// The text as people would write it: with capitals even if the transcript is all in lower case or all in capitals.
    /// It has the bytes of the text otherwise, so every position is the same.
    pub(super) fn readable_text(&self) -> &str {
        let ranges = || self.sentences.iter().map(|sentence| &sentence.range);
        let restored = self.restored.get_or_init(|| restored_to_read(self.text(), ranges()));
        restored.as_deref().unwrap_or(self.text())
    }

    /// A sentence of the readable text.
    pub(super) fn sentence(&self, nth: usize) -> &str {
        &self.readable_text()[self.sentences[nth].range.clone()]
    }

    pub(super) fn utterance_range(&self, utterance: usize) -> Option<Range<usize>> {
        self.utterance_ranges.get(utterance).cloned().flatten()
    }

    pub(super) fn speaker(&self, sentence: usize) -> Option<&str> {
        let utterance = self.sentences[sentence].utterance?;
        self.transcript.utterances[utterance].speaker.as_deref()
    }

    /// Whether a phrase consists of words of speakers' labels only.
    pub(super) fn is_speaker_label(&self, phrase: &str) -> bool {
        label_words(phrase).all(|word| self.speaker_words.contains(&word))
    }

    /// Whether the transcript has more than one speaker.
    pub(super) fn is_conversation(&self) -> bool {
        let mut speakers =
            self.transcript.utterances.iter().filter_map(|utterance| utterance.speaker.as_deref());
        let first = speakers.next();
        speakers.any(|other| Some(other) != first)
    }

    /// Converts a byte position to Unicode scalar values.
    pub(super) fn character(&self, byte: usize) -> usize {
        self.positions.character(self.text(), byte)
    }

    /// The time of the words at this byte, interpolated by their position in the utterance.
    pub(super) fn time(&self, byte: usize) -> Option<f64> {
        let utterance = self.utterance_at(byte)?;
        let range = self.utterance_range(utterance)?;
        let start = self.transcript.utterances[utterance].start?;
        let end = self.transcript.utterances[utterance].end.unwrap_or(start);
        let share = (byte - range.start) as f64 / range.len().max(1) as f64;
        Some(round_to_hundredths(start + (end - start).max(0.0) * share))
    }

    /// The time at the end of these bytes, interpolated by their position in the last utterance.
    pub(super) fn end_time(&self, range: &Range<usize>) -> Option<f64> {
        let last = range.end.checked_sub(1).filter(|last| *last >= range.start)?;
        let utterance = self.utterance_at(last)?;
        let place = self.utterance_range(utterance)?;
        let start = self.transcript.utterances[utterance].start?;
        let end = self.transcript.utterances[utterance].end?;
        let share = (range.end.min(place.end) - place.start) as f64 / place.len().max(1) as f64;
        Some(round_to_hundredths(start + (end - start).max(0.0) * share))
    }

    fn utterance_at(&self, byte: usize) -> Option<usize> {
        let sentence =
            self.sentences.partition_point(|sentence| sentence.range.start <= byte).checked_sub(1)?;
        let utterance = self.sentences[sentence].utterance?;
        self.utterance_range(utterance)
            .filter(|utterance_range| utterance_range.contains(&byte))
            .map(|_| utterance)
    }

    /// The first sentences of a range that are at most `bytes` long together, but at least one.
    pub(super) fn fitting(&self, sentences: Range<usize>, bytes: usize) -> Range<usize> {
        if sentences.is_empty() {
            return sentences;
        }
        let start = self.sentences[sentences.start].range.start;
        let fits = |sentence: &Sentence| sentence.range.end - start <= bytes;
        let count = self.sentences[sentences.clone()].partition_point(fits).max(1);
        sentences.start..sentences.start + count
    }

    /// Ranges of sentences of about `bytes` bytes each.
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

/// The words of all speakers' labels. A label is read once, because a long transcript repeats it.
fn speaker_words(transcript: &TextTranscript) -> HashSet<String> {
    let labels: HashSet<&str> =
        transcript.utterances.iter().filter_map(|utterance| utterance.speaker.as_deref()).collect();
    let short = labels.into_iter().filter(|label| label.len() <= limits::SPEAKER_CHARACTERS);
    short.take(MAX_SPEAKERS).flat_map(label_words).collect()
}

fn label_words(label: &str) -> impl Iterator<Item = String> {
    let words = label.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Finds the utterances in the text, each after the one before.
fn utterance_ranges(transcript: &TextTranscript) -> Vec<Option<Range<usize>>> {
    let text = transcript.text.as_str();
    let mut from = 0;
    let find = |utterance: &TextUtterance| {
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

/// The sentences of each utterance, and of the text between utterances.
fn sentences_of(text: &str, utterance_ranges: &[Option<Range<usize>>]) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut add = |range: Range<usize>, utterance: Option<usize>| {
        let most = limits::SENTENCES.saturating_sub(found.len());
        let ranges = sentences::split(text, range, most).into_iter();
        found.extend(ranges.map(|range| Sentence { range, utterance }));
    };
    let mut done = 0;
    for (nth, utterance_range) in utterance_ranges.iter().enumerate() {
        let Some(utterance_range) = utterance_range else { continue };
        add(done..utterance_range.start, None);
        add(utterance_range.clone(), Some(nth));
        done = utterance_range.end;
    }
    add(done..text.len(), None);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, start: f64, end: f64) -> TextUtterance {
        TextUtterance { text: text.into(), speaker: None, start: Some(start), end: Some(end) }
    }

    fn parsed(text: &str, utterances: Vec<TextUtterance>) -> ParsedTranscript {
        ParsedTranscript::new(Arc::new(TextTranscript { text: text.into(), language: None, utterances }))
    }

    #[test]
    fn sentences_belong_to_utterances_and_have_their_times() {
        let text = "Good day. How are you Fine, thanks.";
        let utterances = vec![said("Good day. How are you", 0.0, 2.1), said("Fine, thanks.", 3.0, 4.0)];
        let parsed = parsed(text, utterances);
        let found: Vec<(&str, Option<usize>)> =
            (0..3).map(|nth| (parsed.sentence(nth), parsed.sentences[nth].utterance)).collect();
        assert_eq!(found, [("Good day.", Some(0)), ("How are you", Some(0)), ("Fine, thanks.", Some(1))]);
        assert_eq!(parsed.time(10), Some(1.0));
        assert_eq!(parsed.time(22), Some(3.0));
        assert_eq!(parsed.end_time(&(0..35)), Some(4.0));
    }

    #[test]
    fn a_transcript_in_one_case_is_read_with_capitals_and_keeps_its_text() {
        let text = "HELLO, I'M KAREN IN CHICAGO. THE STORM IS HERE.";
        let parsed = parsed(text, vec![]);
        assert_eq!(parsed.readable_text(), "Hello, I'm Karen in Chicago. The storm is here.");
        assert_eq!((parsed.text(), parsed.sentence(1)), (text, "The storm is here."));
    }

    #[test]
    fn words_of_speaker_labels_are_recognized() {
        let utterance = TextUtterance { speaker: Some("#Person1#".into()), ..said("Hello.", 0.0, 1.0) };
        let parsed = parsed("Hello.", vec![utterance]);
        assert!(parsed.is_speaker_label("Person1") && !parsed.is_speaker_label("person"));
    }

    #[test]
    fn utterances_that_are_not_in_the_text_have_no_place() {
        let parsed = parsed("One. Two.", vec![said("Elsewhere.", 0.0, 1.0), said("Two.", 1.0, 2.0)]);
        assert_eq!((parsed.utterance_range(0), parsed.utterance_range(1)), (None, Some(5..9)));
        assert_eq!(parsed.time(0), None);
    }

    #[test]
    fn a_text_of_stops_has_a_limited_number_of_sentences_and_keeps_every_letter() {
        let text = "? ".repeat(1_000_000);
        let parsed = parsed(&text, vec![]);
        assert!(parsed.sentences.len() < limits::SENTENCES + 10_000, "{}", parsed.sentences.len());
        let marks = |nth: usize| parsed.sentence(nth).matches('?').count();
        assert_eq!((0..parsed.sentences.len()).map(marks).sum::<usize>(), 1_000_000);
    }

    #[test]
    fn the_first_sentences_that_fit_are_at_least_one() {
        let parsed = parsed("One two. Three four. Five.", vec![]);
        assert_eq!((parsed.fitting(0..3, 20), parsed.fitting(0..3, 1)), (0..2, 0..1));
        assert_eq!((parsed.fitting(1..3, 1_000), parsed.fitting(3..3, 10)), (1..3, 3..3));
    }

    #[test]
    fn windows_hold_whole_sentences_and_all_of_them() {
        let text = "One sentence here. ".repeat(50);
        let parsed = parsed(&text, vec![]);
        let windows = parsed.windows(100);
        assert!(windows.len() > 5 && windows.iter().all(|window| window.len() <= 6));
        assert_eq!(windows.iter().map(ExactSizeIterator::len).sum::<usize>(), 50);
    }
}
