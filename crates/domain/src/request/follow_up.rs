//! An analysis that is requested together with a transcription and starts when it has completed: the field `analysis` of
//! the console's form.

use super::json::parse_strict;
use super::{AnalysisRequest, TranscriptionRequest};
use crate::error::{ApiError, Checked, ErrorCode};
use crate::id::JobId;
use crate::raw_json::RawJson;
use crate::time::Millis;

/// The field of the form.
const FIELD: &str = "analysis";
/// Fields of an analysis that the transcription decides.
const DECIDED: [&str; 3] = ["async", "job_id", "transcript"];

/// The checked body of a `POST /v1/audio/analyses` whose job does not exist yet.
#[derive(Debug, Clone, PartialEq)]
pub struct FollowUpRequest {
    text: String,
    analysis: AnalysisRequest,
}

impl FollowUpRequest {
    /// Reads the text of the field of this transcription. Checks everything that `AnalysisRequest::parse` checks; the
    /// paths in errors begin with `analysis`.
    pub fn parse(text: &str, transcription: &TranscriptionRequest) -> Checked<Self> {
        check_combination(transcription)?;
        read(text).map_err(Self::locate)
    }

    /// The JSON object as it was sent, without what the transcription decides.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The analysis. Its `job_id` is a placeholder.
    pub fn analysis(&self) -> &AnalysisRequest {
        &self.analysis
    }

    /// The body of the request for the analysis of this job.
    pub fn for_job(&self, job: &JobId) -> String {
        completed(&self.text, job)
    }

    /// An error about the analysis as an error about the field of the form.
    pub fn locate(error: ApiError) -> ApiError {
        match &error.param {
            Some(param) => {
                let outer = format!("{FIELD}.{param}");
                let message = error.message.replacen(&format!("`{param}`"), &format!("`{outer}`"), 1);
                ApiError { message, ..error }.at(outer)
            }
            None => {
                let message = error.message.replacen("The body", &format!("`{FIELD}`"), 1);
                ApiError { message, ..error }.at(FIELD)
            }
        }
    }
}

/// Refuses a transcription that answers at once, because only a job can have a follow-up.
fn check_combination(transcription: &TranscriptionRequest) -> Checked<()> {
    if transcription.asynchronous {
        return Ok(());
    }
    let message = format!(
        "`{FIELD}` requires `async=true`; send a synchronous transcript to `POST /v1/audio/analyses` instead."
    );
    Err(ApiError::new(ErrorCode::InvalidCombination, message).at(FIELD))
}

fn read(text: &str) -> Checked<FollowUpRequest> {
    let body = parse_strict(text.as_bytes())?;
    refuse_decided(body)?;
    let whole = completed(body.as_str(), &JobId::first_of(Millis(0)));
    Ok(FollowUpRequest {
        analysis: AnalysisRequest::parse(parse_strict(whole.as_bytes())?)?,
        text: body.as_str().to_owned(),
    })
}

fn refuse_decided(body: RawJson<'_>) -> Checked<()> {
    body.for_each_field(|name, _| match DECIDED.contains(&&*name) {
        true => {
            let message =
                format!("`{name}` cannot be set here: the analysis is that of the new transcription.");
            Err(ApiError::new(ErrorCode::UnknownParameter, message).at(name))
        }
        false => Ok(()),
    })
}

/// The object with `job_id` as its first field.
fn completed(object: &str, job: &JobId) -> String {
    let rest = object.get(1..).unwrap_or_default().trim_start();
    let separator = if rest.starts_with('}') { "" } else { "," };
    format!("{{\"job_id\":\"{job}\"{separator}{rest}")
}
