//! Stores a new job with its steps and its first artifact.

use auris_domain::artifact::Artifact;
use auris_domain::id::{JobId, ProjectId};
use auris_domain::job::{FailurePolicy, Job, JobDetails, JobRequest, Operation, Progress};
use auris_domain::machine::Run;
use auris_domain::metadata::Metadata;
use auris_domain::money::Usd;
use auris_domain::plan::{self, PlannedStep};
use auris_domain::time::{Millis, Timestamp};
use auris_domain::wire::{self, JsonText};
use auris_store::{Creation, JobLinks, Keyed, NewJob};

use crate::access::{JobKey, Replayable, RequestKey, key_in_use, key_reused};
use crate::error::Outcome;
use crate::money::insufficient;
use crate::{Caller, Service, ServiceError};

/// What a use case knows of a job before it is stored.
pub(crate) struct JobDraft {
    pub id: JobId,
    pub operation: Operation,
    pub now: Millis,
    pub metadata: Metadata,
    pub failure_policy: FailurePolicy,
    pub max_cost_usd: Option<Usd>,
    pub webhook_url: Option<String>,
    pub audio_seconds: Option<f64>,
    pub request: JobRequest,
    pub artifacts: Vec<Artifact>,
    pub links: JobLinks,
}

impl JobDraft {
    pub(crate) fn new(operation: Operation, now: Millis) -> Self {
        Self {
            id: JobId::generate(now),
            operation,
            now,
            metadata: Metadata::default(),
            failure_policy: FailurePolicy::default(),
            max_cost_usd: None,
            webhook_url: None,
            audio_seconds: None,
            request: JobRequest::default(),
            artifacts: vec![],
            links: JobLinks::default(),
        }
    }
}

/// A job ready to be stored.
pub(crate) struct Submission<'a> {
    pub caller: &'a Caller,
    pub draft: JobDraft,
    pub planned: Vec<PlannedStep>,
    pub key: Option<RequestKey>,
    /// The hold on the key, if the answer waits for the job's end.
    pub held: Option<JobKey>,
}

impl Service {
    /// Stores the job. If it was certainly not stored, the blobs written for it are deleted. After a database failure the
    /// row may exist nevertheless, so then the blobs are left to the sweeper.
    pub(crate) async fn submit_job(
        &self,
        submission: Submission<'_>,
        blobs: Vec<String>,
    ) -> Outcome<Replayable<JsonText>> {
        let outcome = self.submit(submission).await;
        match &outcome {
            Ok(Replayable::New(_)) | Err(ServiceError::Unavailable(_) | ServiceError::Internal(_)) => {}
            Ok(Replayable::Replayed(_)) | Err(ServiceError::Refused(_)) => {
                self.blobs().delete(&blobs).await?
            }
        }
        outcome
    }

    async fn submit(&self, submission: Submission<'_>) -> Outcome<Replayable<JsonText>> {
        let Submission { caller, draft, planned, key, held } = submission;
        let mut run = self.run_of(caller.project_id(), &draft, planned);
        // The answer and the first event have it, as a later read has.
        let position = self.store().queue_position(caller.project_id(), &draft.id).await?;
        run.job.progress.queue_position = Some(position);
        let answer = wire::job(&run.job, None);
        let kept = key.map(|key| key.answer(caller, 202, "application/json", answer.as_str().to_owned()));
        let new = NewJob {
            held_until: held.as_ref().map(JobKey::until),
            idempotency: match held {
                Some(held) => kept.map(|kept| held.preliminary(kept)),
                None => kept,
            },
            run,
            request: draft.request,
            artifacts: draft.artifacts,
            links: draft.links,
            now: draft.now,
        };
        match self.store().create_job(new).await? {
            Keyed::Done(Creation::Created) => Ok(Replayable::New(answer)),
            Keyed::Done(Creation::InsufficientBalance(shortfall)) => Err(insufficient(shortfall).into()),
            Keyed::Replayed(stored) => Ok(Replayable::Replayed(stored)),
            Keyed::KeyReused => Err(key_reused().into()),
            Keyed::KeyInUse => Err(key_in_use().into()),
        }
    }

    fn run_of(&self, project: &ProjectId, draft: &JobDraft, planned: Vec<PlannedStep>) -> Run {
        let steps = plan::steps(planned, &draft.id, draft.now);
        let progress = Progress {
            percent: 0,
            queue_position: None,
            completed_steps: 0,
            total_steps: steps.len() as u64,
            current_steps: vec![],
            audio_seconds_processed: draft.audio_seconds.map(|_| 0.0),
            audio_seconds_total: draft.audio_seconds,
        };
        let job = Job::queued(JobDetails {
            id: draft.id.clone(),
            project_id: project.clone(),
            operation: draft.operation,
            created_at: draft.now.timestamp(),
            progress,
            metadata: draft.metadata.clone(),
            expires_at: self.expiry(draft.now),
            result_deleted_at: None,
            failure_policy: draft.failure_policy,
            max_cost_usd: draft.max_cost_usd,
            webhook_url: draft.webhook_url.clone(),
        });
        Run { job, steps }
    }

    /// When the content of a job created now expires.
    pub(crate) fn expiry(&self, now: Millis) -> Timestamp {
        now.timestamp().plus_seconds(self.settings().jobs.retention_seconds)
    }
}
