//! A transcript as the text stages read it.

use super::{SourceTranscript, TextUtterance, Transcript};

/// The text, and its utterances with times and speakers if they are known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextTranscript {
    pub text: String,
    pub language: Option<String>,
    /// Utterances if there are any, else segments.
    pub utterances: Vec<TextUtterance>,
}

impl From<&SourceTranscript> for TextTranscript {
    fn from(transcript: &SourceTranscript) -> Self {
        Self {
            text: transcript.text.clone(),
            language: transcript.language.clone(),
            utterances: transcript.passages().collect(),
        }
    }
}

/// Moves the text, which can be large.
impl From<SourceTranscript> for TextTranscript {
    fn from(transcript: SourceTranscript) -> Self {
        let utterances = transcript.passages().collect();
        Self { text: transcript.text, language: transcript.language, utterances }
    }
}

impl From<&Transcript> for TextTranscript {
    fn from(transcript: &Transcript) -> Self {
        let utterances = transcript.utterances.iter().map(|utterance| TextUtterance {
            text: utterance.text.clone(),
            speaker: utterance.speaker.clone(),
            start: Some(utterance.start),
            end: Some(utterance.end),
        });
        let segments = transcript.segments.iter().map(|segment| TextUtterance {
            text: segment.text.clone(),
            speaker: None,
            start: Some(segment.start),
            end: Some(segment.end),
        });
        Self {
            text: transcript.text.clone(),
            language: transcript.language.clone(),
            utterances: if transcript.utterances.is_empty() {
                segments.collect()
            } else {
                utterances.collect()
            },
        }
    }
}
