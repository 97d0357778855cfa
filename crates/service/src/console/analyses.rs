//! The analyses of a job's recording, and the one that waits for the transcription.

use auris_domain::id::JobId;
use auris_domain::wire::{self, JsonText, RecordingAnalysis};
use auris_store::{FollowUp, FollowUpStatus};

use crate::error::Outcome;
use crate::{Caller, Service};

impl Service {
    /// How often each step of a job and of the analyses of its recording was started.
    pub async fn job_attempts(&self, caller: &Caller, job: &JobId) -> Outcome<JsonText> {
        self.owned_job(caller, job).await?;
        Ok(wire::attempt_list(&self.store().step_attempts(job).await?))
    }

    /// First the analysis that was requested together with the transcription, if it has not started, then the others,
    /// oldest first.
    pub async fn job_analyses(&self, caller: &Caller, job: &JobId) -> Outcome<JsonText> {
        self.owned_job(caller, job).await?;
        // Read first: a follow-up that starts in between is listed twice rather than not at all.
        let follow_up = self.store().follow_up(job).await?;
        let started = self.store().analyses_of(job).await?;
        let mut analyses: Vec<RecordingAnalysis> = follow_up.and_then(unstarted).into_iter().collect();
        analyses.extend(started.into_iter().map(RecordingAnalysis::submitted));
        Ok(wire::recording_analyses(&analyses))
    }
}

fn unstarted(follow_up: FollowUp) -> Option<RecordingAnalysis> {
    match follow_up.status {
        FollowUpStatus::Waiting => Some(RecordingAnalysis::waiting()),
        FollowUpStatus::Failed => Some(RecordingAnalysis::failed(follow_up.error)),
        // It is one of the jobs.
        FollowUpStatus::Submitted => None,
    }
}
