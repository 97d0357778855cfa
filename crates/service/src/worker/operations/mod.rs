//! What each kind of step does.

mod diarization;
mod step_events;
mod text;
mod transcription;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::machine::ClaimedStep;
use auris_domain::step::{Cause, StepSpec};
use auris_engines::CallContext;
use tokio_util::sync::DropGuard;

use super::lease::StopSignal;
use super::step_outcome::{StepError, StepProduct};
use crate::Service;

/// One call of an engine for a claimed step. After a transient failure, the same attempt calls again.
#[derive(Clone, Copy)]
pub(super) struct StepCall<'a> {
    pub(super) service: &'a Service,
    pub(super) claimed: &'a ClaimedStep,
    pub(super) signal: &'a StopSignal,
    /// How many calls of this attempt have failed before.
    pub(super) failed_calls: usize,
}

impl<'a> StepCall<'a> {
    pub(super) async fn run(self) -> Result<StepProduct, StepError> {
        self.check_model()?;
        match &self.claimed.work().spec {
            StepSpec::Transcription(spec) => transcription::run(self, spec).await,
            StepSpec::Diarization(spec) => diarization::run(self, *spec).await,
            StepSpec::Stage(stage) => text::run_stage(self, stage).await,
            StepSpec::Task(task) => text::run_task(self, task).await,
        }
    }

    /// A job can outlive the model that it was planned with.
    fn check_model(&self) -> Result<(), StepError> {
        let model = self.model();
        if self.service.engines().models().find(model).is_some() {
            return Ok(());
        }
        let message = format!(
            "The model `{model}` was available when the job was created and no longer is; \
             send the request again with a model from `GET /v1/models`."
        );
        Err(StepError::Cause(Cause::from(ApiError::new(ErrorCode::ModelNotFound, message))))
    }

    /// The model that the plan chose.
    fn model(&self) -> &'a str {
        self.claimed.step().resolved_model()
    }

    /// The context of the engine's call. The call stops when the step is stopped or when the guard is dropped.
    fn context(&self) -> (CallContext, DropGuard) {
        let job = self.claimed.job();
        let cancel = self.signal.cancel.child_token();
        let context = CallContext::background(job.project_id.as_str(), job.id.as_str(), cancel);
        let stop = context.cancel.clone().drop_guard();
        (context, stop)
    }
}
