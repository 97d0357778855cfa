//! The stored form of a step's spec: a JSON object with the options of the stage or task, and `bound`.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::spec::{StepSpec, TextStage};
use crate::model::Capability;
use crate::usage::Units;

/// The content of the `spec` column.
#[derive(Serialize, Deserialize)]
struct Column<Options> {
    #[serde(flatten)]
    options: Options,
    /// The units that the step's cost bound pays for. The step is never charged for more.
    bound: Units,
}

/// For stages without options. Older builds stored the requested model here, which is also in its own column.
#[derive(Serialize, Deserialize)]
struct NoOptions {}

impl StepSpec {
    /// Writes the spec and its bound as the text of the `spec` column.
    pub fn to_column(&self, bound: Units) -> Result<String, serde_json::Error> {
        match self {
            Self::Transcription(options) => write(options, bound),
            Self::Diarization(options) => write(options, bound),
            Self::Task(options) => write(options, bound),
            Self::Stage(stage) => match stage {
                TextStage::Entities(options) => write(options, bound),
                TextStage::Sentiment(options) => write(options, bound),
                TextStage::Summary(options) => write(options, bound),
                TextStage::Chapters | TextStage::Formatting | TextStage::KeyPhrases | TextStage::Topics => {
                    write(&NoOptions {}, bound)
                }
            },
        }
    }

    /// Reads the text of the `spec` column of a step with this capability.
    pub fn from_column(capability: Capability, text: &str) -> Result<(Self, Units), serde_json::Error> {
        match capability {
            Capability::Transcription => read(text, Self::Transcription),
            Capability::Diarization => read(text, Self::Diarization),
            Capability::Task => read(text, |task| Self::Task(Box::new(task))),
            Capability::Entities => read(text, |options| Self::Stage(TextStage::Entities(options))),
            Capability::Sentiment => read(text, |options| Self::Stage(TextStage::Sentiment(options))),
            Capability::Summary => read(text, |options| Self::Stage(TextStage::Summary(options))),
            Capability::Chapters => read(text, |NoOptions {}| Self::Stage(TextStage::Chapters)),
            Capability::Formatting => read(text, |NoOptions {}| Self::Stage(TextStage::Formatting)),
            Capability::KeyPhrases => read(text, |NoOptions {}| Self::Stage(TextStage::KeyPhrases)),
            Capability::Topics => read(text, |NoOptions {}| Self::Stage(TextStage::Topics)),
        }
    }
}

fn write(options: &impl Serialize, bound: Units) -> Result<String, serde_json::Error> {
    serde_json::to_string(&Column { options, bound })
}

fn read<Options: DeserializeOwned>(
    text: &str,
    spec: impl FnOnce(Options) -> StepSpec,
) -> Result<(StepSpec, Units), serde_json::Error> {
    let column: Column<Options> = serde_json::from_str(text)?;
    Ok((spec(column.options), column.bound))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::spec::{EntitiesSpec, Granularity, SummaryType};

    const BOUND: &str = r#""bound":{"audio_seconds":1,"input_tokens":2,"output_tokens":3,"characters":4}"#;

    fn stored(capability: Capability, options: &str) -> StepSpec {
        let text = format!("{{{options},{BOUND}}}");
        let (spec, bound) = StepSpec::from_column(capability, &text).unwrap();
        assert_eq!(bound, Units { audio_seconds: 1, input_tokens: 2, output_tokens: 3, characters: 4 });
        let again = StepSpec::from_column(capability, &spec.to_column(bound).unwrap()).unwrap();
        assert_eq!(again, (spec.clone(), bound));
        spec
    }

    #[test]
    fn specs_of_the_first_release_are_read() {
        let entities = stored(Capability::Entities, r#""model":null,"types":null"#);
        assert_eq!(entities, StepSpec::Stage(TextStage::Entities(EntitiesSpec::default())));
        let summary = stored(Capability::Summary, r#""model":"m","type":"bullets""#);
        let StepSpec::Stage(TextStage::Summary(options)) = summary else { panic!("{summary:?}") };
        assert_eq!(options.kind, SummaryType::Bullets);
        let sentiment = stored(Capability::Sentiment, r#""model":null,"granularity":"utterance""#);
        let StepSpec::Stage(TextStage::Sentiment(options)) = sentiment else { panic!("{sentiment:?}") };
        assert_eq!(options.granularity, Granularity::Utterance);
        assert_eq!(stored(Capability::Topics, r#""model":null"#), StepSpec::Stage(TextStage::Topics));
        let task = stored(
            Capability::Task,
            r##""id":"a","instructions":null,"sources":["#/transcript/text"],"max_output_tokens":9,
               "temperature":0.5,"reasoning":{"effort":"low"},
               "text":{"format":{"type":"json_schema","name":"n","schema":{"b":1,"a":2},"description":null,"strict":true}}"##,
        );
        assert_eq!(task.key(), "tasks/a");
    }

    #[test]
    fn a_spec_without_its_bound_or_an_option_is_an_error() {
        for (capability, text) in [
            (Capability::Summary, r#"{"type":"brief"}"#.to_owned()),
            (Capability::Summary, format!("{{{BOUND}}}")),
            (Capability::Summary, format!(r#"{{"type":"long",{BOUND}}}"#)),
            (Capability::Task, format!(r#"{{"id":"a",{BOUND}}}"#)),
            (Capability::Topics, "null".to_owned()),
        ] {
            assert!(StepSpec::from_column(capability, &text).is_err(), "{text}");
        }
    }
}
