//! What the console shows of a recording besides its job.

use serde::Serialize;

use super::JsonText;
use crate::id::{JobId, StepId};
use crate::json_text::json_bytes;
use crate::transcript::duration_text;

#[derive(Serialize)]
struct PeaksWire<'a> {
    object: &'static str,
    /// A decimal string, as in transcripts.
    duration_seconds: String,
    points: &'a [[i8; 2]],
}

#[derive(Serialize)]
struct SpeakerNamesWire<'a> {
    object: &'static str,
    names: &'a JsonText,
}

/// One analysis of a recording: one that waits for the transcription, one that could not be started, or a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordingAnalysis {
    job_id: Option<JobId>,
    status: &'static str,
    error: Option<String>,
    job: Option<JsonText>,
}

impl RecordingAnalysis {
    pub fn waiting() -> Self {
        Self { job_id: None, status: "waiting", error: None, job: None }
    }

    /// A job with its result, or only its id.
    pub fn submitted(id: JobId, job: Option<JsonText>) -> Self {
        Self { job_id: Some(id), status: "submitted", error: None, job }
    }

    pub fn failed(error: Option<String>) -> Self {
        Self { job_id: None, status: "failed", error, job: None }
    }
}

#[derive(Serialize)]
struct AnalysisListWire<'a> {
    object: &'static str,
    data: &'a [RecordingAnalysis],
}

/// One answer, because the page of a job needs all of it.
#[derive(Serialize)]
struct RecordingAnalysesWire<'a> {
    object: &'static str,
    analyses: AnalysisListWire<'a>,
    attempts: AttemptListWire<'a>,
    recording_job_id: Option<&'a JobId>,
}

#[derive(Serialize)]
struct StepAttemptsWire<'a> {
    step_id: &'a StepId,
    attempts: i64,
}

#[derive(Serialize)]
struct AttemptListWire<'a> {
    object: &'static str,
    data: Vec<StepAttemptsWire<'a>>,
}

/// The lowest and the highest sample of each part of a recording.
pub fn peaks(duration_seconds: f64, points: &[[i8; 2]]) -> JsonText {
    JsonText::of(&PeaksWire { object: "peaks", duration_seconds: duration_text(duration_seconds), points })
}

/// The stored names of speakers, by their labels.
pub fn speaker_names(names: &JsonText) -> JsonText {
    JsonText::of(&SpeakerNamesWire { object: "speaker_names", names })
}

/// All analyses of a recording, how often each of their steps was started, and the job that the recording belongs to, as
/// JSON.
pub fn recording_analyses(
    analyses: &[RecordingAnalysis],
    attempts: &[(StepId, i64)],
    recording_job: Option<&JobId>,
) -> Vec<u8> {
    json_bytes(&RecordingAnalysesWire {
        object: "recording_analyses",
        analyses: AnalysisListWire { object: "list", data: analyses },
        attempts: AttemptListWire::new(attempts),
        recording_job_id: recording_job,
    })
}

/// How often each step was started.
pub fn attempt_list(attempts: &[(StepId, i64)]) -> JsonText {
    JsonText::of(&AttemptListWire::new(attempts))
}

impl<'a> AttemptListWire<'a> {
    fn new(attempts: &'a [(StepId, i64)]) -> Self {
        let data =
            attempts.iter().map(|(step_id, attempts)| StepAttemptsWire { step_id, attempts: *attempts });
        Self { object: "list", data: data.collect() }
    }
}
