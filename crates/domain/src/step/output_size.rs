//! About how large outputs are as JSON, without writing them. It decides on which thread they are written.

use super::output::{StageOutput, StepOutput, TaskOutput};
use crate::transcript::{Diarization, Transcript};

/// For each character of a recognized text: it is repeated in segments and utterances, and each word has two times.
const BYTES_PER_CHARACTER: usize = 16;
/// For each item of a list, beside its text: names of fields and numbers.
const BYTES_PER_ITEM: usize = 96;

impl StepOutput {
    /// About the size of the output as JSON.
    pub fn content_bytes(&self) -> usize {
        match self {
            Self::Transcript(transcript) => transcript.content_bytes(),
            Self::Diarization(diarization) => diarization.content_bytes(),
            Self::Stage(output) => output.content_bytes(),
            Self::Task(output) => output.content_bytes(),
        }
    }
}

impl Transcript {
    /// About the size of the transcript as JSON.
    pub fn content_bytes(&self) -> usize {
        self.text.len().saturating_mul(BYTES_PER_CHARACTER)
    }
}

impl Diarization {
    pub(crate) fn content_bytes(&self) -> usize {
        BYTES_PER_ITEM * (self.turns.len() + self.speakers.len())
    }
}

impl StageOutput {
    pub(crate) fn content_bytes(&self) -> usize {
        match self {
            Self::Chapters(output) => {
                items(&output.chapters, |chapter| chapter.title.len() + chapter.summary.len())
            }
            Self::Entities(output) => items(&output.entities, |entity| entity.text.len()),
            Self::Formatting(output) => {
                output.text.len() + items(&output.paragraphs, |paragraph| paragraph.text.len())
            }
            Self::KeyPhrases(output) => items(&output.key_phrases, |phrase| phrase.text.len()),
            Self::Sentiment(output) => items(&output.utterances, |_| 0),
            Self::Summary(output) => output.text.len() + items(&output.bullets, String::len),
            Self::Topics(output) => items(&output.topics, |topic| topic.label.len()),
        }
    }
}

impl TaskOutput {
    /// The parsed answer has about the size of its text.
    pub(crate) fn content_bytes(&self) -> usize {
        2 * self.text.len()
    }
}

fn items<T>(list: &[T], text_bytes: impl Fn(&T) -> usize) -> usize {
    list.iter().map(|item| BYTES_PER_ITEM + text_bytes(item)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json_text::JsonText;
    use crate::step::output::{Entities, Entity, Formatting, Paragraph};
    use crate::transcript::{Segment, SpeakerTurn, Word};

    const COUNT: usize = 1_000;

    fn transcript() -> Transcript {
        let word = Word { word: "word".into(), start: 100.25, end: 100.75, confidence: 0.875 };
        let segment =
            Segment { id: 0, start: 0.0, end: 600.0, text: "word ".repeat(COUNT), words: vec![word; COUNT] };
        Transcript {
            text: "word ".repeat(COUNT),
            language: None,
            duration_seconds: "600".into(),
            segments: vec![segment],
            utterances: vec![],
        }
    }

    fn outputs() -> [StepOutput; 5] {
        let turn = SpeakerTurn { speaker: "A".into(), start: 0.125, end: 1.5 };
        let diarization = Diarization { speakers: vec![], turns: vec![turn; COUNT] };
        let entity = Entity {
            text: "Anna".into(),
            kind: "person".into(),
            start_char: 1_000,
            end_char: 1_004,
            confidence: Some(0.5),
            start: Some(60.5),
        };
        let paragraph = Paragraph { text: "text ".repeat(100), start_char: 0, end_char: 500 };
        let formatting = Formatting { text: "text ".repeat(100 * COUNT), paragraphs: vec![paragraph; COUNT] };
        [
            StepOutput::Transcript(transcript()),
            StepOutput::Diarization(diarization),
            StepOutput::Stage(StageOutput::Entities(Entities { entities: vec![entity; COUNT] })),
            StepOutput::Stage(StageOutput::Formatting(formatting)),
            StepOutput::Task(TaskOutput { text: "yes ".repeat(COUNT), json: serde_json::Value::Null }),
        ]
    }

    #[test]
    fn the_size_of_an_output_is_known_to_a_factor_of_three() {
        for output in outputs() {
            let (estimated, written) = (output.content_bytes(), JsonText::of(&output).as_str().len());
            assert!(written / 3 < estimated && estimated < written * 3, "{estimated} for {written} bytes");
        }
    }
}
