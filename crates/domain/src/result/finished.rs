//! The result of an ended job, in full and in the short form for lists, and its files.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::document::ResultDocument;
use crate::artifact::{Artifact, ArtifactOwner, Purpose};
use crate::id::{ArtifactId, StepId};
use crate::job::{JobStatus, Operation};
use crate::json_length::json_length;
use crate::json_text::{JsonText, json_bytes};
use crate::limits;
use crate::machine::Run;
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

impl FinishedJob {
    /// Writes the result and its files. A completed analysis, and any result that is too large to be inline, gets a
    /// file with the whole document. That document exists as text once at most, because it can be large.
    pub fn compose(self) -> (JobResult, ResultFiles) {
        let mut files = self.transcript_files();
        let mut listed: Vec<&Artifact> = self.artifacts.iter().collect();
        listed.extend(files.iter().map(|(artifact, _)| artifact));
        let completed_analysis =
            self.run.job.operation == Operation::Analysis && self.run.job.status() == JobStatus::Completed;
        let light = self.light(&listed);
        let is_inline = |length: usize| length <= limits::INLINE_RESULT_BYTES;
        if !completed_analysis && is_inline(json_length(&self.full(&light))) {
            let full = JsonText::of(&self.full(&light));
            return (JobResult { full, light: JsonText::of(&light) }, files);
        }
        let mut whole = self.owner().artifact(Purpose::AnalysisJson, 0, self.now);
        listed.push(&whole);
        let light = self.light(&listed);
        let bytes = json_bytes(&self.full(&light));
        let full = match is_inline(bytes.len()) {
            true => JsonText::of(&self.full(&light)),
            false => {
                JsonText::of(&Overflowed { light: &light, overflow: Overflow { artifact_id: &whole.id } })
            }
        };
        whole.bytes = bytes.len() as u64;
        files.push((whole, bytes));
        (JobResult { full, light: JsonText::of(&light) }, files)
    }

    fn full<'a>(&'a self, light: &'a Light) -> Full<'a> {
        Full { document: &self.document, light }
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
    light: &'a Light,
    overflow: Overflow<'a>,
}

#[derive(Serialize)]
struct Overflow<'a> {
    artifact_id: &'a ArtifactId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_that_is_too_large_names_the_artifact_with_the_document() {
        let light = Light { artifacts: vec![], errors: vec![] };
        let id = ArtifactId::generate(Millis(0));
        let result = Overflowed { light: &light, overflow: Overflow { artifact_id: &id } };
        let expected = format!(r#"{{"artifacts":[],"errors":[],"overflow":{{"artifact_id":"{id}"}}}}"#);
        assert_eq!(JsonText::of(&result).as_str(), expected);
    }
}
