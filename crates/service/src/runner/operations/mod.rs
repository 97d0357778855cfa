//! What each kind of step does.

mod diarization;
mod feed;
mod text;
mod transcription;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::model::Capability;
use auris_domain::step::Cause;
use auris_engines::CallContext;
use auris_store::ClaimedStep;
use tokio_util::sync::DropGuard;

use super::lease::Signal;
use super::work::{Product, Trouble};
use crate::Service;

/// Runs one attempt of a step; `tried` counts the tries within it that failed.
pub(super) async fn run(
    service: &Service,
    claimed: &ClaimedStep,
    signal: &Signal,
    tried: usize,
) -> Result<Product, Trouble> {
    check_model(service, claimed)?;
    match claimed.step.capability {
        Capability::Transcription => transcription::run(service, claimed, signal).await,
        Capability::Diarization => diarization::run(service, claimed, signal).await,
        Capability::Chapters
        | Capability::Entities
        | Capability::Formatting
        | Capability::KeyPhrases
        | Capability::Sentiment
        | Capability::Summary
        | Capability::Topics
        | Capability::Task => text::run(service, claimed, signal, tried).await,
    }
}

/// A job may outlive the model that it was planned with.
fn check_model(service: &Service, claimed: &ClaimedStep) -> Result<(), Trouble> {
    let model = model_of(claimed);
    if service.engines.models().find(&model).is_some() {
        return Ok(());
    }
    let message = format!(
        "The model `{model}` was there when the job was made and is not any more; \
         send the request again with one of `GET /v1/models`."
    );
    Err(Trouble::Cause(Cause::from(ApiError::new(ErrorCode::ModelNotFound, message))))
}

/// The circumstances of the engine's call; it stops when the step is told to, or when the guard is dropped.
fn context_of(claimed: &ClaimedStep, signal: &Signal) -> (CallContext, DropGuard) {
    let (project, job) = (claimed.job.project_id.as_str(), claimed.job.id.as_str());
    let context = CallContext::background(project, job, signal.cancel.child_token());
    let stop = context.cancel.clone().drop_guard();
    (context, stop)
}

/// The model that the plan chose for the step.
fn model_of(claimed: &ClaimedStep) -> String {
    claimed.step.resolved_model.clone().unwrap_or_default()
}
