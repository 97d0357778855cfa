//! What the console shows of a recording besides its job.

use serde::Serialize;

use super::JsonText;
use crate::id::{JobId, StepId};
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
struct RecordingAnalysesWire<'a> {
    object: &'static str,
    data: &'a [RecordingAnalysis],
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

/// All analyses of a recording.
pub fn recording_analyses(data: &[RecordingAnalysis]) -> JsonText {
    JsonText::of(&RecordingAnalysesWire { object: "list", data })
}

/// How often each step was started.
pub fn attempt_list(attempts: &[(StepId, i64)]) -> JsonText {
    let data = attempts.iter().map(|(step_id, attempts)| StepAttemptsWire { step_id, attempts: *attempts });
    JsonText::of(&AttemptListWire { object: "list", data: data.collect() })
}
