//! Transcripts: text, segments, utterances and words, who spoke them, and the files made from them.

mod cues;
mod diarization;
mod extra_fields;
mod passage;
mod source;
pub mod speakers;
mod subtitles;
mod text;

use serde::{Deserialize, Serialize};

pub use diarization::{Diarization, Speaker, SpeakerTurn};
pub use extra_fields::ExtraFields;
pub use passage::{Passage, TextUtterance};
pub use source::SourceTranscript;
pub use subtitles::{plain, srt, vtt};
pub use text::TextTranscript;

/// A word with its position in the audio.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Word {
    pub word: String,
    pub start: f64,
    pub end: f64,
    pub confidence: f64,
}

/// A stretch of speech, as divided by the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    pub id: u64,
    pub start: f64,
    pub end: f64,
    pub text: String,
    pub words: Vec<Word>,
}

/// What one speaker said without a break.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Utterance {
    pub speaker: Option<String>,
    pub start: f64,
    pub end: f64,
    pub text: String,
    pub words: Vec<Word>,
}

/// A transcript that a speech engine made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    pub text: String,
    /// `None` if nothing was said.
    pub language: Option<String>,
    /// A decimal string, so that the transcript of a result can be sent back in a request.
    pub duration_seconds: String,
    pub segments: Vec<Segment>,
    pub utterances: Vec<Utterance>,
}

impl Transcript {
    /// The words of all segments.
    pub fn words(&self) -> Vec<Word> {
        self.segments.iter().flat_map(|segment| segment.words.clone()).collect()
    }
}

/// The name of the speaker with this index: A to Z, then AA, AB and so on.
pub fn speaker_name(index: usize) -> String {
    let letter = char::from(b'A' + (index % 26) as u8);
    let before = index / 26;
    if before == 0 { letter.to_string() } else { speaker_name(before - 1) + &letter.to_string() }
}

/// Seconds as a decimal string: at most milliseconds, no trailing zeros.
pub fn duration_text(seconds: f64) -> String {
    let text = format!("{:.3}", seconds.max(0.0));
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twenty_seventh_speaker_has_two_letters() {
        assert_eq!([0, 1, 25, 26, 27, 99].map(speaker_name), ["A", "B", "Z", "AA", "AB", "CV"]);
    }

    #[test]
    fn durations_are_plain_decimals() {
        assert_eq!(duration_text(12.34), "12.34");
        assert_eq!(duration_text(10.0), "10");
        assert_eq!(duration_text(0.0), "0");
        assert_eq!(duration_text(0.5004), "0.5");
    }
}
