//! The analyses of a job's recording, and the one that waits for the transcription.

use auris_domain::error::ErrorCode;
use auris_domain::id::JobId;
use auris_domain::wire::{self, JsonText, RecordingAnalysis};
use auris_store::{FollowUp, FollowUpStatus, StoredJob};

use crate::error::{Outcome, ServiceError};
use crate::{Caller, Service};

/// Analyses that are listed with their results and steps, the latest ones. A page shows as many, so more would only delay
/// it.
const SHOWN: u32 = 8;

impl Service {
    /// How often each step of a job and of the analyses of its recording was started.
    pub async fn job_attempts(&self, caller: &Caller, job: &JobId) -> Outcome<JsonText> {
        self.owned_job(caller, job).await?;
        Ok(wire::attempt_list(&self.store().step_attempts(job).await?))
    }

    /// First the analysis that was requested together with the transcription, if it has not started, then the others,
    /// oldest first. The latest ones have their jobs.
    pub async fn job_analyses(&self, caller: &Caller, job: &JobId) -> Outcome<JsonText> {
        self.owned_job(caller, job).await?;
        // Read first: a follow-up that starts in between is listed twice rather than not at all.
        let follow_up = self.store().follow_up(job).await?;
        let started = self.store().analyses_of(job).await?;
        let latest = self.store().latest_analyses(job, SHOWN).await?;
        let mut analyses: Vec<RecordingAnalysis> = follow_up.and_then(unstarted).into_iter().collect();
        analyses.extend(started.into_iter().map(|id| submitted(id, &latest)));
        Ok(wire::recording_analyses(&analyses))
    }

    /// The steps of the latest analyses without their outputs, newest analysis first.
    pub async fn analysis_steps(&self, caller: &Caller, job: &JobId) -> Outcome<JsonText> {
        self.owned_job(caller, job).await?;
        let started = self.store().analyses_of(job).await?;
        let mut steps = Vec::new();
        for analysis in started.iter().rev().take(SHOWN as usize) {
            let loaded = self.store().load_run(analysis).await?;
            steps.extend(loaded.into_iter().flat_map(|loaded| loaded.run.steps));
        }
        Ok(wire::light_step_list(&steps))
    }

    /// The job that the recording belongs to: this one, or the one that it analyzes. `None` if there is no recording, or
    /// no longer.
    pub async fn recording_job(&self, caller: &Caller, job: &JobId) -> Outcome<Option<JobId>> {
        match self.find_recording(caller, job).await {
            Ok(recording) => Ok(recording.map(|artifact| artifact.job_id)),
            Err(ServiceError::Refused(refusal)) if refusal.code == ErrorCode::ArtifactDeleted => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn submitted(id: JobId, latest: &[StoredJob]) -> RecordingAnalysis {
    let found = latest.iter().find(|stored| stored.job.id == id);
    let job = found.map(|stored| wire::job(&stored.job, stored.result.as_ref()));
    RecordingAnalysis::submitted(id, job)
}

fn unstarted(follow_up: FollowUp) -> Option<RecordingAnalysis> {
    match follow_up.status {
        FollowUpStatus::Waiting => Some(RecordingAnalysis::waiting()),
        FollowUpStatus::Failed => Some(RecordingAnalysis::failed(follow_up.error)),
        // It is one of the jobs.
        FollowUpStatus::Submitted => None,
    }
}
