//! Checks an analysis that is requested together with a transcription, so that a wrong request is refused before the
//! recording is transcribed.

use auris_domain::plan::{self, CountedStep, ModelChoice, PlanInput};
use auris_domain::request::FollowUpRequest;

use crate::error::Outcome;
use crate::{Caller, Service, ServiceError};

impl Service {
    /// Checks what can be known before there is a transcript. The cost is bounded for an empty one, so an analysis that
    /// passes can still be refused when it starts.
    pub(super) async fn check_follow_up(&self, caller: &Caller, follow_up: &FollowUpRequest) -> Outcome<()> {
        self.check_unstarted(caller, follow_up).await.map_err(|error| match error {
            ServiceError::Refused(refusal) => FollowUpRequest::locate(refusal).into(),
            error @ (ServiceError::Unavailable(_) | ServiceError::Internal(_)) => error,
        })
    }

    async fn check_unstarted(&self, caller: &Caller, follow_up: &FollowUpRequest) -> Outcome<()> {
        let analysis = follow_up.analysis().clone();
        if let Some(url) = &analysis.webhook_url {
            self.check_webhook_url("webhook_url", url)?;
        }
        let analysis = self.check_schemas(caller, analysis).await?;
        let models = self.engines().models();
        let choice = ModelChoice { models: &models, project_plan: &caller.project.plan };
        let input = PlanInput { audio_seconds: Some(0), ..PlanInput::default() };
        plan::analysis(&analysis, choice, input, &|_: &CountedStep<'_>| None)?;
        Ok(())
    }
}
