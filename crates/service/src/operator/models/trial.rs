//! Tries a model before it is added: it has to transcribe a short recording, or to answer a short question.

use std::path::Path;
use std::sync::Arc;

use auris_domain::model::Capability;
use auris_domain::step::spec::TaskSpec;
use auris_engines::{
    CallContext, Catalog, CatalogModel, EngineSettings, Engines, Ignore, TaskRequest, TextRequest, TextWork,
};
use tokio_util::sync::CancellationToken;

use crate::local::sample_recording;

/// Longest recording that is accepted in the trial, in seconds.
const MAX_SECONDS: f64 = 60.0;

const QUESTION: &str = "What is the capital of France?";

/// Tokens of the answer. A few show that the model reads and writes.
const ANSWER_TOKENS: u32 = 8;

const INCOMPLETE: &str = "its files are incomplete";

/// Runs the only model of the catalogue. What it says does not matter: a speech model may know another language. Fails if
/// the model cannot be loaded or run, or if the trial is cancelled.
pub(super) fn run(models_dir: &Path, catalog: Catalog, cancel: &CancellationToken) -> Result<(), String> {
    let entry = catalog.models.first().cloned().ok_or("the catalogue is empty")?;
    let settings = EngineSettings { models_dir: models_dir.to_owned(), max_audio_seconds: MAX_SECONDS };
    let engines = Engines::new(catalog, settings);
    let context = CallContext::synchronous("", &entry.model.id, cancel.clone());
    if entry.model.can(Capability::Transcription) {
        transcribe_sample(&engines, &entry, &context)
    } else {
        answer_question(&engines, &entry, &context)
    }
}

fn transcribe_sample(engines: &Engines, entry: &CatalogModel, context: &CallContext) -> Result<(), String> {
    let model = engines.transcriber(&entry.model.id).ok_or(INCOMPLETE)?;
    let recording = sample_recording::repeated(1).map_err(|error| error.to_string())?;
    let audio = engines.source(recording.path());
    let spec = sample_recording::transcription(entry);
    let tried = model.transcribe(&audio, &spec, &mut Ignore, context);
    tried.map(drop).map_err(|error| error.to_string())
}

fn answer_question(engines: &Engines, entry: &CatalogModel, context: &CallContext) -> Result<(), String> {
    let model = engines.text(&entry.model.id).ok_or(INCOMPLETE)?;
    let spec = TaskSpec {
        id: "trial".into(),
        instructions: Some(QUESTION.into()),
        max_output_tokens: ANSWER_TOKENS,
        ..TaskSpec::default()
    };
    let work = TextWork::Task(Box::new(TaskRequest { spec, ..TaskRequest::default() }));
    let request = TextRequest { work, transcript: Arc::default() };
    let tried = model.run(&request, &mut Ignore, context);
    tried.map(drop).map_err(|error| error.to_string())
}
