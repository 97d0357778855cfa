//! The stored form of a step's spec: a JSON object with the options of the stage or task, and `bound`.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::StepWork;
use super::spec::{Reasoning, StepSpec, TaskSpec, TaskText, TextStage};
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

/// The content of the column of a task. With `#[serde(flatten)]`, serde would first read everything into a tree of values,
/// the schema too.
#[derive(Deserialize)]
struct TaskColumn {
    id: String,
    instructions: Option<String>,
    sources: Vec<String>,
    max_output_tokens: u32,
    temperature: Option<f64>,
    reasoning: Option<Reasoning>,
    text: TaskText,
    bound: Units,
}

/// For stages without options. Older builds stored the requested model here, which is also in its own column.
#[derive(Serialize, Deserialize)]
struct NoOptions {}

impl StepWork {
    /// Writes the spec and its bound as the text of the `spec` column.
    pub fn to_column(&self) -> Result<String, serde_json::Error> {
        let bound = self.unit_bound;
        match &self.spec {
            StepSpec::Transcription(options) => write(options, bound),
            StepSpec::Diarization(options) => write(options, bound),
            StepSpec::Task(options) => write(options, bound),
            StepSpec::Stage(stage) => match stage {
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
    pub fn from_column(capability: Capability, text: &str) -> Result<Self, serde_json::Error> {
        let stage = StepSpec::Stage;
        match capability {
            Capability::Transcription => read(text, StepSpec::Transcription),
            Capability::Diarization => read(text, StepSpec::Diarization),
            Capability::Task => read_task(text),
            Capability::Entities => read(text, |options| stage(TextStage::Entities(options))),
            Capability::Sentiment => read(text, |options| stage(TextStage::Sentiment(options))),
            Capability::Summary => read(text, |options| stage(TextStage::Summary(options))),
            Capability::Chapters => read(text, |NoOptions {}| stage(TextStage::Chapters)),
            Capability::Formatting => read(text, |NoOptions {}| stage(TextStage::Formatting)),
            Capability::KeyPhrases => read(text, |NoOptions {}| stage(TextStage::KeyPhrases)),
            Capability::Topics => read(text, |NoOptions {}| stage(TextStage::Topics)),
        }
    }
}

fn write(options: &impl Serialize, bound: Units) -> Result<String, serde_json::Error> {
    serde_json::to_string(&Column { options, bound })
}

fn read<Options: DeserializeOwned>(
    text: &str,
    spec: impl FnOnce(Options) -> StepSpec,
) -> Result<StepWork, serde_json::Error> {
    let column: Column<Options> = serde_json::from_str(text)?;
    Ok(StepWork { spec: spec(column.options), unit_bound: column.bound })
}

fn read_task(text: &str) -> Result<StepWork, serde_json::Error> {
    let column: TaskColumn = serde_json::from_str(text)?;
    let task = TaskSpec {
        id: column.id,
        instructions: column.instructions,
        sources: column.sources,
        max_output_tokens: column.max_output_tokens,
        temperature: column.temperature,
        reasoning: column.reasoning,
        answer: column.text,
    };
    Ok(StepWork { spec: StepSpec::Task(Box::new(task)), unit_bound: column.bound })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::spec::{Effort, EntitiesSpec, Granularity, SummaryType, TextFormat};

    const BOUND: &str = r#""bound":{"audio_seconds":1,"input_tokens":2,"output_tokens":3,"characters":4}"#;

    fn stored(capability: Capability, options: &str) -> StepSpec {
        let text = format!("{{{options},{BOUND}}}");
        let work = StepWork::from_column(capability, &text).unwrap();
        let bound = Units { audio_seconds: 1, input_tokens: 2, output_tokens: 3, characters: 4 };
        assert_eq!(work.unit_bound, bound);
        let again = StepWork::from_column(capability, &work.to_column().unwrap()).unwrap();
        assert_eq!(again, work);
        work.spec
    }

    fn task_with(format: &str) -> String {
        format!(r#"{{"id":"a","sources":[],"max_output_tokens":9,"text":{{"format":{format}}},{BOUND}}}"#)
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
        let StepSpec::Task(task) = task else { panic!("{task:?}") };
        let TextFormat::JsonSchema(format) = &task.answer.format else { panic!("{task:?}") };
        assert_eq!((format.schema.as_str(), format.strict), (r#"{"b":1,"a":2}"#, true));
        assert_eq!((task.temperature, task.reasoning), (Some(0.5), Some(Reasoning { effort: Effort::Low })));
        let plain = stored(
            Capability::Task,
            r#""id":"b","sources":[],"max_output_tokens":9,"text":{"format":{"type":"text"}}"#,
        );
        assert_eq!(plain.key(), "tasks/b");
    }

    #[test]
    fn the_stored_task_is_the_same_text_as_in_earlier_builds() {
        let text = [
            r##"{"id":"a","instructions":"Do.","sources":["#/transcript/text"],"max_output_tokens":9,"##,
            r#""temperature":null,"reasoning":null,"text":{"format":{"type":"json_schema","name":"n","#,
            r#""schema":{"b":[1.5,"é"]},"description":null,"strict":true}},"#,
            BOUND,
            "}",
        ]
        .concat();
        let work = StepWork::from_column(Capability::Task, &text).unwrap();
        assert_eq!(work.to_column().unwrap(), text);
    }

    #[test]
    fn a_spec_without_its_bound_or_an_option_is_an_error() {
        for (capability, text) in [
            (Capability::Summary, r#"{"type":"brief"}"#.to_owned()),
            (Capability::Summary, format!("{{{BOUND}}}")),
            (Capability::Summary, format!(r#"{{"type":"long",{BOUND}}}"#)),
            (Capability::Task, format!(r#"{{"id":"a",{BOUND}}}"#)),
            (Capability::Task, task_with(r#"{"type":"json_schema","name":"n","strict":true}"#)),
            (Capability::Task, task_with(r#"{"name":"n"}"#)),
            (Capability::Topics, "null".to_owned()),
        ] {
            assert!(StepWork::from_column(capability, &text).is_err(), "{text}");
        }
    }
}
