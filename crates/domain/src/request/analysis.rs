//! The request for an analysis of a transcript or of a job.

use std::collections::{BTreeMap, HashSet};

use super::check::{Object, Path, missing};
use super::read::{boolean, check_length, string};
use super::webhook_url::{self, Schemes};
use super::{Processing, RequestedStep, schema, transcript};
use crate::error::{Checked, ErrorCode};
use crate::id::JobId;
use crate::limits;
use crate::metadata::Metadata;
use crate::model::Capability;
use crate::raw_json::RawJson;
use crate::transcript::SourceTranscript;

/// A checked `POST /v1/audio/analyses`.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalysisRequest {
    pub processing: Processing,
    pub asynchronous: Option<bool>,
    pub job_id: Option<JobId>,
    pub metadata: Metadata,
    pub transcript: Option<SourceTranscript>,
    pub webhook_url: Option<String>,
}

impl AnalysisRequest {
    /// Checks everything that needs little time. The schemas of tasks are compiled by `check_schemas`.
    pub fn parse(body: RawJson<'_>) -> Checked<Self> {
        let mut object = Object::read(&Path::Root, body)?;
        let request = Self {
            processing: object.required("processing", Processing::read)?,
            asynchronous: object.optional("async", boolean)?,
            job_id: object.optional("job_id", job_id)?,
            metadata: object.optional("metadata", metadata)?.unwrap_or_default(),
            transcript: object.optional("transcript", transcript::read)?,
            webhook_url: object.optional("webhook_url", |path, value| {
                webhook_url::check(path, string(path, value)?, Schemes::Https)
            })?,
        };
        object.finish()?;
        request.check_input()?;
        Ok(request)
    }

    /// Whether the response waits for the job to end, up to a limit.
    pub fn waits(&self) -> bool {
        self.asynchronous == Some(false)
    }

    /// Whether a task has a schema, so that `check_schemas` has something to do.
    pub fn has_schemas(&self) -> bool {
        self.processing.steps.iter().any(|step| step.schema().is_some())
    }

    /// Compiles the schemas of the tasks and refuses unusable ones. It takes much longer than all other checks, up to a
    /// second of computing, so `parse` leaves it out: call it where blocking is allowed, for few requests at a time.
    pub fn check_schemas(&self) -> Checked<()> {
        let is_task = |step: &&RequestedStep| step.spec.capability() == Capability::Task;
        let mut checked = HashSet::new();
        for (index, task) in self.processing.steps.iter().filter(is_task).enumerate() {
            if let Some(schema) = task.schema()
                && checked.insert(schema)
            {
                schema::check(&format!("processing.tasks[{index}].text.format.schema"), schema)?;
            }
        }
        Ok(())
    }

    fn check_input(&self) -> Checked<()> {
        if self.transcript.is_none() && self.job_id.is_none() {
            let mut error = missing(&Path::Root.field("transcript"));
            error.message = "`transcript`, `job_id` or both are required.".into();
            return Err(error);
        }
        if self.processing.asks_for(Capability::Diarization) && self.job_id.is_none() {
            let processing = Path::Root.field("processing");
            let message = "Diarization needs audio: send the `job_id` of a job whose audio is retained.";
            return Err(processing.field("diarization").refuse(ErrorCode::AudioRequired, message));
        }
        Ok(())
    }
}

fn job_id(path: &Path<'_>, value: RawJson<'_>) -> Checked<JobId> {
    let text = string(path, value)?;
    text.parse()
        .map_err(|error| path.refuse(ErrorCode::InvalidId, format!("`{path}` is not a job id: {error}.")))
}

/// Reads the metadata of a job.
pub(super) fn metadata(path: &Path<'_>, value: RawJson<'_>) -> Checked<Metadata> {
    let object = Object::read(path, value)?;
    let count = object.count();
    if count > limits::METADATA_ENTRIES {
        let maximum = limits::METADATA_ENTRIES;
        let message = format!("`{path}` has {count} entries; at most {maximum} are allowed.");
        return Err(path.refuse(ErrorCode::MetadataTooLarge, message));
    }
    let entries = object.rest().into_iter();
    let checked: Checked<BTreeMap<String, String>> =
        entries.map(|(key, value)| metadata_entry(path, key.into_owned(), value)).collect();
    checked.map(Metadata)
}

fn metadata_entry(path: &Path<'_>, key: String, value: RawJson<'_>) -> Checked<(String, String)> {
    let place = path.field(&key);
    check_length(&place, &key, &(1..=limits::METADATA_KEY_CHARACTERS))?;
    let text = string(&place, value)?;
    check_length(&place, &text, &(0..=limits::METADATA_VALUE_CHARACTERS))?;
    Ok((key, text))
}
