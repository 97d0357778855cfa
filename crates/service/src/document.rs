//! The result document of a job: what its steps made, put together, and the files made of it.

use auris_domain::artifact::{Artifact, Purpose};
use auris_domain::job::ResultError;
use auris_domain::machine::Run;
use auris_domain::step::{Step, StepStatus};
use auris_domain::transcript::{self, Transcript};
use serde_json::{Map, Value, json};

use crate::speakers;

/// The document that task sources point into: the transcript and the outputs of finished steps.
pub(crate) fn working(transcript: Option<Value>, outputs: Vec<(String, Value)>) -> Value {
    let mut document = Map::new();
    if let Some(transcript) = transcript {
        document.insert("transcript".into(), transcript);
    }
    for (key, output) in outputs {
        place(&mut document, &key, output);
    }
    give_speakers(&mut document);
    Value::Object(document)
}

fn place(document: &mut Map<String, Value>, key: &str, output: Value) {
    match key.strip_prefix("tasks/") {
        Some(id) => {
            let tasks = document.entry("tasks").or_insert_with(|| json!({}));
            if let Some(tasks) = tasks.as_object_mut() {
                tasks.insert(id.into(), output);
            }
        }
        None => {
            let part = if key == "transcription" { "transcript" } else { key };
            document.insert(part.into(), output);
        }
    }
}

/// With diarization, the utterances are made anew.
fn give_speakers(document: &mut Map<String, Value>) {
    let Some(turns) = document.get("diarization").map(|part| part["turns"].clone()) else {
        return;
    };
    if let Some(transcript) = document.get_mut("transcript") {
        transcript["utterances"] = speakers::utterances(transcript, &turns);
    }
}

/// Adds what every result has: its artifacts and the steps that failed.
pub(crate) fn complete(mut document: Value, artifacts: &[Artifact], run: &Run) -> Value {
    list_artifacts(&mut document, artifacts);
    document["errors"] = json!(errors(run));
    document
}

pub(crate) fn list_artifacts(document: &mut Value, artifacts: &[Artifact]) {
    document["artifacts"] = artifacts.iter().map(artifact_entry).collect();
}

/// A result without its bulk: for lists, and for results that are too large to be put inline.
pub(crate) fn light(full: &Value) -> Value {
    json!({"artifacts": full["artifacts"], "errors": full["errors"]})
}

fn artifact_entry(artifact: &Artifact) -> Value {
    json!({"id": artifact.id, "purpose": artifact.purpose.as_str(), "media_type": artifact.media_type})
}

fn errors(run: &Run) -> Vec<ResultError> {
    run.steps.iter().filter(|step| step.status == StepStatus::Failed).filter_map(error_entry).collect()
}

fn error_entry(step: &Step) -> Option<ResultError> {
    step.error.as_ref().map(|error| ResultError {
        step_id: step.id.clone(),
        step_key: step.key.clone(),
        code: error.code.clone(),
        message: error.message.clone(),
    })
}

/// The files that a transcript leaves; its speakers are in them, where it has any.
pub(crate) fn transcript_files(transcript: &Value) -> Vec<(Purpose, Vec<u8>)> {
    let json = (Purpose::TranscriptJson, transcript.to_string().into_bytes());
    let Ok(heard) = serde_json::from_value::<Transcript>(transcript.clone()) else {
        return vec![json];
    };
    vec![
        json,
        (Purpose::TranscriptTxt, transcript::plain(&heard).into_bytes()),
        (Purpose::TranscriptSrt, transcript::srt(&heard).into_bytes()),
        (Purpose::TranscriptVtt, transcript::vtt(&heard).into_bytes()),
    ]
}
