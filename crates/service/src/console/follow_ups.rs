//! Follow-ups: analyses that were requested together with a transcription, and that the service starts when it has
//! completed.

use std::time::Duration;

use auris_domain::error::ErrorCode;
use auris_domain::job::JobStatus;
use auris_domain::request::AnalysisRequest;
use auris_domain::request::json::parse_strict;
use auris_store::{FollowUp, FollowUpStatus};
use tokio_util::sync::CancellationToken;

use crate::access::{Access, RequestKey};
use crate::error::Outcome;
use crate::{Caller, Service, ServiceError};

/// The wait between two searches for transcriptions that have ended.
const INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of follow-ups that one search takes.
const BATCH: u32 = 16;
/// The scope of the keys of follow-ups, and their fingerprint. It is not a path of the API, so that no caller's key can be
/// the same.
const FOLLOW_UP: &str = "follow_up";

impl Service {
    /// Starts analyses when their transcriptions have completed, until it is stopped. Several nodes can do this at once:
    /// each analysis has an idempotency key, so that it starts once.
    pub async fn run_follow_ups(self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let ended = self.end_due_follow_ups(&stop).await.unwrap_or_else(|error| {
                tracing::warn!(%error, "cannot look for analyses to start; trying again");
                0
            });
            if ended == BATCH {
                continue;
            }
            tokio::select! {
                () = tokio::time::sleep(INTERVAL) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Starts or fails those whose transcription has ended, and returns their number. One that cannot be started now is
    /// left for the next search.
    async fn end_due_follow_ups(&self, stop: &CancellationToken) -> Outcome<u32> {
        let mut ended = 0;
        for follow_up in self.store().due_follow_ups(BATCH).await? {
            if stop.is_cancelled() {
                break;
            }
            match self.end_follow_up(&follow_up).await {
                Ok(()) => ended += 1,
                Err(error) => {
                    tracing::warn!(%error, job.id = %follow_up.job, "cannot start an analysis now; trying again");
                }
            }
        }
        Ok(ended)
    }

    async fn end_follow_up(&self, follow_up: &FollowUp) -> Outcome<()> {
        let (status, error) = match self.submit_follow_up(follow_up).await {
            Ok(()) => (FollowUpStatus::Submitted, None),
            Err(ServiceError::Refused(refusal)) if refusal.retry_after.is_none() => {
                (FollowUpStatus::Failed, Some(refusal.message))
            }
            Err(ServiceError::Internal(cause)) => {
                tracing::error!(%cause, job.id = %follow_up.job, "an analysis cannot be started");
                let message = "An internal error prevented the analysis; start it again.";
                (FollowUpStatus::Failed, Some(message.to_owned()))
            }
            Err(error @ (ServiceError::Refused(_) | ServiceError::Unavailable(_))) => return Err(error),
        };
        Ok(self.store().end_follow_up(&follow_up.job, status, error).await?)
    }

    async fn submit_follow_up(&self, follow_up: &FollowUp) -> Outcome<()> {
        let project = self.store().project(&follow_up.project).await?;
        let project =
            project.ok_or_else(|| ServiceError::internal("the project of a follow-up is missing"))?;
        let caller = Caller { project, access: Access::Service };
        let stored = self.owned_job(&caller, &follow_up.job).await?;
        check_completed(stored.job.status())?;
        let request = AnalysisRequest::parse(parse_strict(follow_up.request.as_bytes())?)?;
        self.submit_analysis(&caller, request, Some(key_of(follow_up)), ()).await.map(drop)
    }
}

fn check_completed(status: JobStatus) -> Outcome<()> {
    let ended = match status {
        JobStatus::Failed => "failed",
        JobStatus::Cancelled => "was cancelled",
        // One that has not ended is refused when the analysis is submitted.
        JobStatus::Completed | JobStatus::Queued | JobStatus::InProgress | JobStatus::Cancelling => {
            return Ok(());
        }
    };
    let message = format!("The transcription {ended}, so the analysis was not started.");
    Err(ServiceError::refused(ErrorCode::ContentUnavailable, message))
}

/// One key for each transcription, so that a second node, or this one after a crash, does not start a second analysis.
fn key_of(follow_up: &FollowUp) -> RequestKey {
    RequestKey {
        key: follow_up.job.to_string(),
        method: "POST",
        path: FOLLOW_UP.to_owned(),
        fingerprint: FOLLOW_UP.to_owned(),
    }
}
