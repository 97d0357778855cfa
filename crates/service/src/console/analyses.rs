//! The analyses of a job's recording, and the one that waits for the transcription.

use auris_domain::error::ErrorCode;
use auris_domain::id::JobId;
use auris_domain::job::Job;
use auris_domain::wire::{self, JsonText, RecordingAnalysis};
use auris_store::{FollowUp, FollowUpStatus};
use bytes::Bytes;

use crate::access::compose;
use crate::error::{Outcome, ServiceError};
use crate::{Caller, Service};

/// How many of the latest analyses are listed with their results, steps and files. A page shows as many, so more would
/// only delay it.
const SHOWN: u32 = 8;

impl Service {
    /// How often each step of a job and of the analyses of its recording was started.
    pub async fn job_attempts(&self, caller: &Caller, job: &JobId) -> Outcome<JsonText> {
        self.owned_job(caller, job).await?;
        Ok(wire::attempt_list(&self.store().step_attempts(job).await?))
    }

    /// The analyses of a recording as JSON: first the one that was requested together with the transcription, if it has
    /// not started, then the others, oldest first. The latest ones have their jobs with results. Fails if the caller has
    /// too many large responses.
    pub async fn recording_analyses(&self, caller: &Caller, job: &JobId) -> Outcome<Bytes> {
        self.owned_job(caller, job).await?;
        let bytes = self.store().result_bytes_of_analyses(job, SHOWN).await?;
        let memory = self.reserve_composing(caller, bytes).await?;
        // Read first: a follow-up that starts in between is listed twice rather than not at all.
        let follow_up = self.store().follow_up(job).await?;
        let started = self.store().analyses_of(job).await?;
        let latest = self.store().latest_analyses(job, SHOWN).await?;
        let attempts = self.store().step_attempts(job).await?;
        let recording_job = self.recording_job(caller, job).await?;
        let results = self.store().results_of_analyses(job, SHOWN).await?;
        let write = move |mut results: Vec<(JobId, JsonText)>| {
            let mut analyses: Vec<RecordingAnalysis> = follow_up.and_then(unstarted).into_iter().collect();
            analyses.extend(started.into_iter().map(|id| submitted(id, &latest, &mut results)));
            wire::recording_analyses(&analyses, &attempts, recording_job.as_ref())
        };
        compose(memory, results, write).await
    }

    /// The steps of the latest analyses without their outputs, newest analysis first.
    pub async fn analysis_steps(&self, caller: &Caller, job: &JobId) -> Outcome<JsonText> {
        self.owned_job(caller, job).await?;
        let mut steps = Vec::new();
        for analysis in self.latest_analyses(job).await? {
            let loaded = self.store().load_run(&analysis).await?;
            steps.extend(loaded.into_iter().flat_map(|loaded| loaded.run.steps));
        }
        Ok(wire::light_step_list(&steps))
    }

    /// The analyses that are shown with their results, steps and files, newest first.
    pub(super) async fn latest_analyses(&self, job: &JobId) -> Outcome<Vec<JobId>> {
        let started = self.store().analyses_of(job).await?;
        Ok(started.into_iter().rev().take(SHOWN as usize).collect())
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

/// Removes the result of the analysis, so that none is in memory twice for long.
fn submitted(id: JobId, latest: &[Job], results: &mut Vec<(JobId, JsonText)>) -> RecordingAnalysis {
    let found = results.iter().position(|(of, _)| *of == id);
    let result = found.map(|index| results.swap_remove(index).1);
    let job = latest.iter().find(|job| job.id == id).map(|job| wire::job(job, result.as_ref()));
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
