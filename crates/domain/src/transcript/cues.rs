//! The cues of subtitles: segments, divided where the speaker changes.

use super::{Segment, Transcript, Utterance, Word};

/// One cue.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cue {
    pub(super) speaker: Option<String>,
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) text: String,
}

/// Whether the speakers of utterances are known.
pub(super) fn has_speakers(transcript: &Transcript) -> bool {
    transcript.utterances.iter().any(|utterance| utterance.speaker.is_some())
}

pub(super) fn cues(transcript: &Transcript) -> Vec<Cue> {
    if has_speakers(transcript) {
        return transcript
            .utterances
            .iter()
            .flat_map(|utterance| of_utterance(utterance, transcript))
            .collect();
    }
    transcript.segments.iter().map(of_segment).collect()
}

fn of_segment(segment: &Segment) -> Cue {
    Cue { speaker: None, start: segment.start, end: segment.end, text: segment.text.clone() }
}

/// One cue for each segment that the utterance has words in. An utterance without words is one cue.
fn of_utterance(utterance: &Utterance, transcript: &Transcript) -> Vec<Cue> {
    if utterance.words.is_empty() {
        return vec![Cue {
            speaker: utterance.speaker.clone(),
            start: utterance.start,
            end: utterance.end,
            text: utterance.text.clone(),
        }];
    }
    let segment_of = |word: &Word| segments_begun(&transcript.segments, (word.start + word.end) / 2.0);
    let by_segment = utterance.words.chunk_by(|one, other| segment_of(one) == segment_of(other));
    by_segment
        .filter_map(|words| of_words(words, segment_of(words.first()?), utterance, transcript))
        .collect()
}

/// The number of segments that begin at or before this time, in seconds.
fn segments_begun(segments: &[Segment], seconds: f64) -> usize {
    segments.partition_point(|segment| segment.start <= seconds)
}

/// The cue of words from one segment: the last of the segments that have begun.
fn of_words(words: &[Word], begun: usize, utterance: &Utterance, transcript: &Transcript) -> Option<Cue> {
    let first = words.first()?;
    let last = words.last()?;
    let segment = begun.checked_sub(1).and_then(|index| transcript.segments.get(index));
    let text = match segment {
        // All words of the segment: its text has the correct spaces.
        Some(segment) if segment.words.len() == words.len() => segment.text.clone(),
        Some(_) | None => joined(words, segment),
    };
    Some(Cue { speaker: utterance.speaker.clone(), start: first.start, end: last.end, text })
}

/// The words with spaces between them, unless the language does not use spaces.
fn joined(words: &[Word], segment: Option<&Segment>) -> String {
    let spaced = segment.is_none_or(|segment| segment.text.trim().contains(char::is_whitespace));
    let words: Vec<&str> = words.iter().map(|word| word.word.trim()).collect();
    words.join(if spaced { " " } else { "" })
}
