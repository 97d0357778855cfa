//! Local language models, with SmolLM2. Its answers are poor, so the tests do not check their quality.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

#[path = "../support/mod.rs"]
mod support;

mod answers;
mod bounds;
mod quality;
mod schemas;
mod stages;

use std::sync::Arc;

use auris_domain::step::SchemaText;
use auris_domain::step::StepOutput;
use auris_domain::step::output::TaskOutput;
use auris_domain::step::spec::{JsonSchema, TaskSpec, TaskText, TextFormat};
use auris_domain::transcript::{TextTranscript, TextUtterance};
use auris_engines::{
    CallContext, EngineError, Engines, TaskRequest, TaskSource, TextAnswer, TextRequest, TextSink, TextWork,
};
use serde_json::Value;

const SMALL: &str = "smollm2-135m-instruct";
const LARGE: &str = "qwen2.5-1.5b-instruct";

const CALL: [(&str, &str); 8] = [
    ("A", "Good morning, this is Dana Whitfield from Northwind Travel."),
    ("B", "Hi Dana, I want to change my flight to Lisbon."),
    ("A", "Of course. Which day would you like to leave?"),
    ("B", "On Friday the 12th, if that is possible."),
    ("A", "It is, but it costs 45 dollars more."),
    ("B", "That is terrible, the last agent told me it was free!"),
    ("A", "I am sorry about that. I can take the fee off this once."),
    ("B", "Wonderful, thank you so much."),
];

/// Records the deltas of an answer.
#[derive(Default)]
struct Deltas(Vec<String>);

impl TextSink for Deltas {
    fn delta(&mut self, text: &str) {
        self.0.push(text.to_owned());
    }
}

fn engines() -> (tempfile::TempDir, Engines) {
    let folder = tempfile::tempdir().unwrap();
    let engines = support::engines(folder.path());
    (folder, engines)
}

fn call() -> Arc<TextTranscript> {
    let utterance = |(index, (speaker, text)): (usize, &(&str, &str))| TextUtterance {
        text: (*text).into(),
        speaker: Some((*speaker).into()),
        start: Some(index as f64 * 4.0),
        end: Some(index as f64 * 4.0 + 3.5),
    };
    let text = CALL.map(|(_, text)| text).join(" ");
    let utterances = CALL.iter().enumerate().map(utterance).collect();
    Arc::new(TextTranscript { text, language: Some("en".into()), utterances })
}

fn sources() -> Vec<TaskSource> {
    vec![TaskSource { pointer: "#/transcript/text".into(), text: call().text.clone() }]
}

fn task(instructions: &str) -> TaskRequest {
    let spec = TaskSpec {
        instructions: Some(instructions.into()),
        max_output_tokens: 24,
        temperature: Some(0.0),
        ..TaskSpec::default()
    };
    TaskRequest { spec, sources: sources(), flaw: None }
}

fn json_task(schema: Value, temperature: f64, tokens: u32) -> TaskRequest {
    let schema = SchemaText::of(&schema);
    let schema = JsonSchema { name: "answer".into(), description: None, schema, strict: true };
    let mut task = task("Fill in the form about the call.");
    task.spec.answer = TaskText { format: TextFormat::JsonSchema(schema) };
    task.spec.temperature = Some(temperature);
    task.spec.max_output_tokens = tokens;
    task
}

fn run(engines: &Engines, model: &str, work: TextWork) -> Result<TextAnswer, EngineError> {
    let request = TextRequest { work, transcript: call() };
    engines.text(model).unwrap().run(&request, &mut auris_engines::Ignore, &CallContext::alone())
}

fn run_task(engines: &Engines, task: TaskRequest) -> TextAnswer {
    run(engines, SMALL, TextWork::Task(Box::new(task))).unwrap()
}

/// The output of a task.
fn task_output(answer: &TextAnswer) -> &TaskOutput {
    match &answer.output {
        StepOutput::Task(output) => output,
        other => panic!("{other:?} is not the output of a task"),
    }
}
