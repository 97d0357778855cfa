//! The result of an ended job, in full and in the short form for lists, and its files.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::document::ResultDocument;
use crate::artifact::{Artifact, ArtifactOwner, Purpose};
use crate::id::{ArtifactId, StepId};
use crate::job::{FailurePolicy, JobStatus, Operation};
use crate::json_text::JsonText;
use crate::limits;
use crate::machine::{Change, Run};
use crate::step::{Step, StepStatus};
use crate::time::Millis;

/// Everything that the result of an ended job is made from.
pub struct FinishedJob {
    pub run: Run,
    pub document: ResultDocument,
    /// Artifacts that are stored already and still available.
    pub artifacts: Vec<Artifact>,
    pub now: Millis,
}

/// A job's result: in full, and in the short form for lists.
#[derive(Debug, Clone, PartialEq)]
pub struct JobResult {
    pub full: JsonText,
    pub light: JsonText,
}

/// The files of a result: each with its record and its bytes.
type ResultFiles = Vec<(Artifact, Vec<u8>)>;

/// Whether these changes ended the job and it has a result: a completed step, or errors that the result reports.
pub fn leaves_a_result(run: &Run, changes: &[Change]) -> bool {
    let ended =
        changes.iter().any(|change| matches!(change, Change::Job(state) if state.status().is_terminal()));
    let any = |status| run.steps.iter().any(|step| step.status() == status);
    let reports_errors =
        run.job.failure_policy == FailurePolicy::ContinueIndependent && any(StepStatus::Failed);
    ended && (any(StepStatus::Completed) || reports_errors)
}

impl FinishedJob {
    /// Writes the result and its files. A completed analysis, and any result that is too large to be inline, gets a
    /// file with the whole document.
    pub fn compose(self) -> (JobResult, ResultFiles) {
        let mut files = self.transcript_files();
        let mut listed: Vec<&Artifact> = self.artifacts.iter().collect();
        listed.extend(files.iter().map(|(artifact, _)| artifact));
        let completed_analysis =
            self.run.job.operation == Operation::Analysis && self.run.job.status() == JobStatus::Completed;
        let result = self.write(&listed);
        if !completed_analysis && result.full.as_str().len() <= limits::INLINE_RESULT_BYTES {
            return (result, files);
        }
        let mut whole = self.owner().artifact(Purpose::AnalysisJson, 0, self.now);
        listed.push(&whole);
        let mut result = self.write(&listed);
        let bytes = result.full.as_str().as_bytes().to_vec();
        if bytes.len() > limits::INLINE_RESULT_BYTES {
            result.full = JsonText::of(&Overflowed { light: self.light(&listed), artifact: &whole.id });
        }
        whole.bytes = bytes.len() as u64;
        files.push((whole, bytes));
        (result, files)
    }

    fn write(&self, artifacts: &[&Artifact]) -> JobResult {
        let light = self.light(artifacts);
        let full = JsonText::of(&Full { document: &self.document, light: &light });
        JobResult { full, light: JsonText::of(&light) }
    }

    fn light(&self, artifacts: &[&Artifact]) -> Light {
        let failed = self.run.steps.iter().filter(|step| step.status() == StepStatus::Failed);
        Light {
            artifacts: artifacts.iter().map(|artifact| ResultArtifact::new(artifact)).collect(),
            errors: failed.filter_map(ResultError::new).collect(),
        }
    }

    /// The files of the transcript. An analysis makes them only with a diarization, which adds the speakers.
    fn transcript_files(&self) -> ResultFiles {
        let wanted = match self.run.job.operation {
            Operation::Transcription => true,
            Operation::Analysis => self.document.diarization.is_some(),
        };
        let Some(transcript) = self.document.transcript.as_ref().filter(|_| wanted) else {
            return vec![];
        };
        let owner = self.owner();
        let record = |purpose, bytes: &[u8]| owner.artifact(purpose, bytes.len() as u64, self.now);
        transcript.files().into_iter().map(|(purpose, bytes)| (record(purpose, &bytes), bytes)).collect()
    }

    fn owner(&self) -> ArtifactOwner<'_> {
        let job = &self.run.job;
        ArtifactOwner { project: &job.project_id, job: &job.id, expires_at: job.expires_at }
    }
}

/// The part that every result has, and the only part in lists.
#[derive(Serialize)]
struct Light {
    artifacts: Vec<ResultArtifact>,
    errors: Vec<ResultError>,
}

#[derive(Serialize)]
struct ResultArtifact {
    id: ArtifactId,
    purpose: &'static str,
    media_type: String,
}

/// A failed step as `result.errors` lists it.
#[derive(Serialize)]
struct ResultError {
    step_id: StepId,
    step_key: String,
    code: String,
    message: String,
}

impl ResultArtifact {
    fn new(artifact: &Artifact) -> Self {
        Self {
            id: artifact.id.clone(),
            purpose: artifact.purpose.as_str(),
            media_type: artifact.media_type.clone(),
        }
    }
}

impl ResultError {
    fn new(step: &Step) -> Option<Self> {
        let error = step.error()?;
        Some(Self {
            step_id: step.id.clone(),
            step_key: step.key.clone(),
            code: error.code.clone(),
            message: error.message.clone(),
        })
    }
}

struct Full<'a> {
    document: &'a ResultDocument,
    light: &'a Light,
}

impl Serialize for Full<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.document.write_parts(&mut map)?;
        map.serialize_entry("artifacts", &self.light.artifacts)?;
        map.serialize_entry("errors", &self.light.errors)?;
        map.end()
    }
}

/// A result that is too large to be inline: the artifact is the whole document.
#[derive(Serialize)]
struct Overflowed<'a> {
    #[serde(flatten)]
    light: Light,
    #[serde(rename = "overflow", serialize_with = "overflow")]
    artifact: &'a ArtifactId,
}

fn overflow<S: Serializer>(artifact: &&ArtifactId, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry("artifact_id", artifact)?;
    map.end()
}
