//! The document that task sources point into: the transcript and the outputs of completed steps.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::source_text;
use crate::artifact::Purpose;
use crate::json_text::JsonText;
use crate::step::output::{Diarization, TaskOutput};
use crate::step::{StageOutput, StepOutput};
use crate::transcript::{Passage, SourceTranscript, TextTranscript, Transcript, plain, speakers, srt, vtt};

/// The parts of a result that steps make. Each is present only if its step was requested and completed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResultDocument {
    pub transcript: Option<DocumentTranscript>,
    pub diarization: Option<Diarization>,
    /// By step key, in the order of the steps.
    pub stages: Vec<(String, StageOutput)>,
    /// By task id, in the order of the steps.
    pub tasks: Vec<(String, TaskOutput)>,
}

/// The transcript of a result: recognized by this job, or the input of an analysis.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum DocumentTranscript {
    Recognised(Transcript),
    Source(SourceTranscript),
}

impl ResultDocument {
    /// Builds the document. With a diarization, the utterances are built from its turns.
    pub fn new(source: Option<SourceTranscript>, outputs: Vec<(String, StepOutput)>) -> Self {
        let mut document =
            Self { transcript: source.map(DocumentTranscript::Source), ..ResultDocument::default() };
        for (key, output) in outputs {
            document.add(key, output);
        }
        if let (Some(transcript), Some(diarization)) = (&mut document.transcript, &document.diarization) {
            transcript.add_speakers(diarization);
        }
        document
    }

    fn add(&mut self, key: String, output: StepOutput) {
        match output {
            StepOutput::Transcript(transcript) => {
                self.transcript = Some(DocumentTranscript::Recognised(transcript));
            }
            StepOutput::Diarization(diarization) => self.diarization = Some(diarization),
            StepOutput::Stage(output) => self.stages.push((key, output)),
            StepOutput::Task(output) => {
                let id = key.strip_prefix("tasks/").unwrap_or(&key).to_owned();
                self.tasks.push((id, output));
            }
        }
    }

    /// About the size of the document as JSON.
    pub fn content_bytes(&self) -> usize {
        let transcript = match &self.transcript {
            None => 0,
            Some(DocumentTranscript::Recognised(transcript)) => transcript.content_bytes(),
            Some(DocumentTranscript::Source(transcript)) => transcript.content_bytes(),
        };
        let diarization = self.diarization.as_ref().map_or(0, Diarization::content_bytes);
        let stages = self.stages.iter().map(|(_, output)| output.content_bytes());
        let tasks = self.tasks.iter().map(|(_, output)| output.content_bytes());
        transcript + diarization + stages.chain(tasks).sum::<usize>()
    }

    /// The text for a model of what a pointer such as `#/summary/text` names, or `None` if there is no such value:
    /// utterances as lines with their speakers, text as it is, other values as JSON.
    pub fn source_text(&self, pointer: &str) -> Option<String> {
        let path = pointer.strip_prefix("#/")?;
        let (part, rest) = path.split_once('/').map_or((path, None), |(part, rest)| (part, Some(rest)));
        if let (Some(transcript), "transcript", Some("text")) = (&self.transcript, part, rest) {
            // The most common source. Writing the whole transcript as JSON first would be a waste.
            return Some(transcript.text().to_owned());
        }
        source_text::at_path(self.part(part)?.as_str(), rest)
    }

    fn part(&self, name: &str) -> Option<JsonText> {
        Some(match name {
            "transcript" => JsonText::of(self.transcript.as_ref()?),
            "diarization" => JsonText::of(self.diarization.as_ref()?),
            "tasks" => JsonText::of(&Tasks(&self.tasks)),
            _ => JsonText::of(&self.stages.iter().find(|(key, _)| key == name)?.1),
        })
    }

    /// The transcript as text models read it.
    pub fn text_transcript(&self) -> TextTranscript {
        self.transcript.as_ref().map(DocumentTranscript::text_transcript).unwrap_or_default()
    }

    /// The same, but the text is moved and the rest of the document is dropped.
    pub fn into_text_transcript(self) -> TextTranscript {
        self.transcript.map(DocumentTranscript::into_text_transcript).unwrap_or_default()
    }

    /// Writes the parts into a JSON object that the caller adds to.
    pub(super) fn write_parts<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        if let Some(transcript) = &self.transcript {
            map.serialize_entry("transcript", transcript)?;
        }
        if let Some(diarization) = &self.diarization {
            map.serialize_entry("diarization", diarization)?;
        }
        for (key, output) in &self.stages {
            map.serialize_entry(key, output)?;
        }
        if !self.tasks.is_empty() {
            map.serialize_entry("tasks", &Tasks(&self.tasks))?;
        }
        Ok(())
    }
}

impl Serialize for ResultDocument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.write_parts(&mut map)?;
        map.end()
    }
}

/// Tasks as an object with their ids as names.
struct Tasks<'a>(&'a [(String, TaskOutput)]);

impl Serialize for Tasks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(id, output)| (id, output)))
    }
}

impl DocumentTranscript {
    pub fn text(&self) -> &str {
        match self {
            Self::Recognised(transcript) => &transcript.text,
            Self::Source(transcript) => &transcript.text,
        }
    }

    fn text_transcript(&self) -> TextTranscript {
        match self {
            Self::Recognised(transcript) => transcript.into(),
            Self::Source(transcript) => transcript.into(),
        }
    }

    fn into_text_transcript(self) -> TextTranscript {
        match self {
            Self::Recognised(transcript) => (&transcript).into(),
            Self::Source(transcript) => transcript.into(),
        }
    }

    /// Replaces the utterances with new ones from the turns, if the transcript has timed words.
    pub fn add_speakers(&mut self, diarization: &Diarization) {
        match self {
            Self::Recognised(transcript) => {
                let made = speakers::utterances(&transcript.text, transcript.words(), &diarization.turns);
                if let Some(made) = made {
                    transcript.utterances = made;
                }
            }
            Self::Source(transcript) => {
                let made =
                    speakers::utterances(&transcript.text, transcript.timed_words(), &diarization.turns);
                if let Some(made) = made {
                    transcript.utterances = made.iter().map(Passage::of_utterance).collect();
                }
            }
        }
    }

    /// The files made from the transcript. Only a transcript with all times can be written as subtitles.
    pub(super) fn files(&self) -> Vec<(Purpose, Vec<u8>)> {
        let json = JsonText::of(self).into_string().into_bytes();
        let mut files = vec![(Purpose::TranscriptJson, json)];
        let converted = match self {
            Self::Recognised(_) => None,
            Self::Source(transcript) => transcript.as_recognised(),
        };
        let recognised = match self {
            Self::Recognised(transcript) => Some(transcript),
            Self::Source(_) => converted.as_ref(),
        };
        if let Some(transcript) = recognised {
            files.push((Purpose::TranscriptTxt, plain(transcript).into_bytes()));
            files.push((Purpose::TranscriptSrt, srt(transcript).into_bytes()));
            files.push((Purpose::TranscriptVtt, vtt(transcript).into_bytes()));
        }
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::output::{SpeakerTurn, Topics};

    fn source() -> SourceTranscript {
        let json = r#"{"text":"Hi all","segments":[{"text":"Hi all","words":[
            {"word":"Hi","start":0,"end":1,"confidence":1},{"word":"all","start":1,"end":2,"confidence":1}]}],"own":[7]}"#;
        SourceTranscript::from_json(json).unwrap()
    }

    fn document() -> ResultDocument {
        let turns = vec![SpeakerTurn { speaker: "A".into(), start: 0.0, end: 2.0 }];
        ResultDocument::new(
            Some(source()),
            vec![
                ("diarization".into(), StepOutput::Diarization(Diarization { speakers: vec![], turns })),
                ("topics".into(), StepOutput::Stage(StageOutput::Topics(Topics::default()))),
                (
                    "tasks/a/b".into(),
                    StepOutput::Task(TaskOutput { text: "yes".into(), json: serde_json::json!({"n": [1]}) }),
                ),
            ],
        )
    }

    #[test]
    fn pointers_reach_every_part() {
        let document = document();
        for (pointer, expected) in [
            ("#/transcript/text", "Hi all"),
            ("#/transcript/own/0", "7"),
            ("#/transcript/utterances", "A: Hi all\n"),
            ("#/transcript/utterances/0/speaker", "A"),
            ("#/diarization/turns/0/end", "2.0"),
            ("#/topics/topics", ""),
            ("#/tasks/a~1b/json/n/0", "1"),
            ("#/tasks/a~1b/json", r#"{"n":[1]}"#),
        ] {
            assert_eq!(document.source_text(pointer).as_deref(), Some(expected), "{pointer}");
        }
        for pointer in ["#/summary", "#/transcript/nothing", "#/tasks/b", "transcript", "#/"] {
            assert_eq!(document.source_text(pointer), None, "{pointer}");
        }
    }

    #[test]
    fn the_text_stages_read_the_new_utterances() {
        let read = document().text_transcript();
        assert_eq!(read, document().into_text_transcript());
        assert_eq!(read.utterances.len(), 1);
        assert_eq!(read.utterances[0].speaker.as_deref(), Some("A"));
    }
}
