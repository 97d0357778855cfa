//! The cues of subtitles: segments, cut where another speaker begins.

use super::{Segment, Transcript, Utterance, Word};

/// One cue.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cue {
    pub(super) speaker: Option<String>,
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) text: String,
}

/// Whether somebody was told apart.
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

/// The words of the utterance, segment by segment; an utterance without words is a cue by itself.
fn of_utterance(utterance: &Utterance, transcript: &Transcript) -> Vec<Cue> {
    if utterance.words.is_empty() {
        let (start, end, text) = (utterance.start, utterance.end, utterance.text.clone());
        return vec![Cue { speaker: utterance.speaker.clone(), start, end, text }];
    }
    let segment_of = |word: &Word| segment_at(&transcript.segments, (word.start + word.end) / 2.0);
    let pieces = utterance.words.chunk_by(|one, other| segment_of(one) == segment_of(other));
    pieces.filter_map(|words| of_words(words, segment_of(words.first()?), utterance, transcript)).collect()
}

/// The number of segments that have begun by then.
fn segment_at(segments: &[Segment], moment: f64) -> usize {
    segments.partition_point(|segment| segment.start <= moment)
}

fn of_words(words: &[Word], segment: usize, utterance: &Utterance, transcript: &Transcript) -> Option<Cue> {
    let (first, last) = (words.first()?, words.last()?);
    let segment = segment.checked_sub(1).and_then(|at| transcript.segments.get(at));
    let text = match segment {
        // The segment's own text where it is all here: it is spaced as it should be.
        Some(segment) if segment.words.len() == words.len() => segment.text.clone(),
        Some(_) | None => joined(words, segment),
    };
    Some(Cue { speaker: utterance.speaker.clone(), start: first.start, end: last.end, text })
}

/// Languages that write no spaces get none.
fn joined(words: &[Word], segment: Option<&Segment>) -> String {
    let spaced = segment.is_none_or(|segment| segment.text.trim().contains(char::is_whitespace));
    let words: Vec<&str> = words.iter().map(|word| word.word.trim()).collect();
    words.join(if spaced { " " } else { "" })
}
