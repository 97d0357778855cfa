//! The transcript that an analysis reads. It comes from a transcription or from the caller, who may add any fields.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::extra_fields::ExtraFields;
use super::passage::{Passage, TextUtterance};
use super::{Transcript, Word};

/// The `transcript` of an analysis. Fields that are not part of the API are kept and returned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourceTranscript {
    pub text: String,
    pub language: Option<String>,
    pub duration_seconds: Option<String>,
    pub segments: Vec<Passage>,
    pub utterances: Vec<Passage>,
    pub extra: ExtraFields,
}

impl SourceTranscript {
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The passages that the text stages read: utterances if there are any, else segments.
    pub fn passages(&self) -> impl Iterator<Item = TextUtterance> {
        let passages = if self.utterances.is_empty() { &self.segments } else { &self.utterances };
        passages.iter().map(Passage::view)
    }

    /// About the size of the transcript as JSON.
    pub fn content_bytes(&self) -> usize {
        let passages = self.segments.iter().chain(&self.utterances);
        self.text.len() + self.extra.bytes() + passages.map(|passage| passage.as_str().len()).sum::<usize>()
    }

    /// The words of all segments that have a position in the audio.
    pub fn timed_words(&self) -> Vec<Word> {
        self.segments.iter().flat_map(Passage::timed_words).collect()
    }

    /// The transcript in the form that engines make; `None` if the duration, or a field of a segment or utterance, is
    /// absent or of another type.
    pub fn as_recognised(&self) -> Option<Transcript> {
        Some(Transcript {
            text: self.text.clone(),
            language: self.language.clone(),
            duration_seconds: self.duration_seconds.clone()?,
            segments: self.segments.iter().map(Passage::read).collect::<Option<_>>()?,
            utterances: self.utterances.iter().map(Passage::read).collect::<Option<_>>()?,
        })
    }
}

impl From<&Transcript> for SourceTranscript {
    fn from(transcript: &Transcript) -> Self {
        Self {
            text: transcript.text.clone(),
            language: transcript.language.clone(),
            duration_seconds: Some(transcript.duration_seconds.clone()),
            segments: transcript.segments.iter().map(Passage::of_segment).collect(),
            utterances: transcript.utterances.iter().map(Passage::of_utterance).collect(),
            extra: ExtraFields::default(),
        }
    }
}

impl Serialize for SourceTranscript {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("text", &self.text)?;
        map.serialize_entry("language", &self.language)?;
        // Omitted instead of null: requests refuse null, and a request must accept the transcript of a result.
        if let Some(seconds) = &self.duration_seconds {
            map.serialize_entry("duration_seconds", seconds)?;
        }
        map.serialize_entry("segments", &self.segments)?;
        map.serialize_entry("utterances", &self.utterances)?;
        let mut written = Ok(());
        self.extra.for_each(|name, value| {
            if written.is_ok() {
                written = map.serialize_entry(name, &value);
            }
        });
        written?;
        map.end()
    }
}

/// Written by hand because `#[serde(flatten)]` cannot read the raw text of a `Passage`.
impl<'de> Deserialize<'de> for SourceTranscript {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SourceVisitor)
    }
}

struct SourceVisitor;

impl<'de> Visitor<'de> for SourceVisitor {
    type Value = SourceTranscript;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a transcript")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SourceTranscript, A::Error> {
        let mut transcript = SourceTranscript::default();
        let mut text = None;
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "text" => text = Some(map.next_value()?),
                "language" => transcript.language = map.next_value()?,
                "duration_seconds" => transcript.duration_seconds = map.next_value()?,
                "segments" => transcript.segments = map.next_value()?,
                "utterances" => transcript.utterances = map.next_value()?,
                _ => {
                    let value: &RawValue = map.next_value()?;
                    transcript.extra.add(&name, value.into());
                }
            }
        }
        transcript.text = text.ok_or_else(|| A::Error::missing_field("text"))?;
        Ok(transcript)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Segment, Utterance};

    #[test]
    fn a_transcript_is_written_as_it_was_read() {
        let json = concat!(
            r#"{"text":"Hi","language":null,"duration_seconds":"1.5","segments":[{"text":"Hi","x":1.0}],"#,
            r#""utterances":[],"own":{"b":1,"a":2}}"#
        );
        let transcript = SourceTranscript::from_json(json).unwrap();
        assert_eq!(serde_json::to_string(&transcript).unwrap(), json);
        assert_eq!(transcript.passages().count(), 1);
        assert!(transcript.as_recognised().is_none(), "the segment has no times");
    }

    #[test]
    fn a_transcript_of_an_engine_is_unchanged_when_it_is_sent_in_a_request() {
        let word = Word { word: "Hi".into(), start: 0.0, end: 0.4, confidence: 0.9 };
        let segment = Segment { id: 0, start: 0.0, end: 1.0, text: "Hi".into(), words: vec![word.clone()] };
        let utterance =
            Utterance { speaker: None, start: 0.0, end: 1.0, text: "Hi".into(), words: vec![word] };
        let recognised = Transcript {
            text: "Hi".into(),
            language: Some("en".into()),
            duration_seconds: "1".into(),
            segments: vec![segment],
            utterances: vec![utterance],
        };
        let source = SourceTranscript::from(&recognised);
        let json = serde_json::to_string(&recognised).unwrap();
        assert_eq!(serde_json::to_string(&source).unwrap(), json);
        assert_eq!(SourceTranscript::from_json(&json).unwrap(), source);
        assert_eq!(source.as_recognised(), Some(recognised));
    }
}
