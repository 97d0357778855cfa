//! Jobs: stored, listed, read, cancelled, and emptied of their content.

use auris_domain::artifact::{Artifact, ArtifactStatus};
use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::{JobId, ProjectId};
use auris_domain::job::{FailurePolicy, Job, JobStatus, Operation, Progress};
use auris_domain::machine::{Command, Run};
use auris_domain::metadata::Metadata;
use auris_domain::money::Usd;
use auris_domain::plan::{self, PlannedStep};
use auris_domain::request::page::Page;
use auris_domain::time::{Millis, Timestamp};
use auris_store::{Creation, DeleteOutcome, NewJob, StoredJob};
use serde_json::{Value, json};

use crate::error::Outcome;
use crate::holds::insufficient;
use crate::idempotency::{Answered, RequestKey, key_in_use, key_reused};
use crate::runner::{Advanced, Effect};
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
    /// What the steps need to know of the request, beyond their own specs.
    pub request: Value,
    pub artifacts: Vec<Artifact>,
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
            request: Value::Null,
            artifacts: vec![],
        }
    }
}

/// A job ready to be stored.
pub(crate) struct Submission<'a> {
    pub caller: &'a Caller,
    pub draft: JobDraft,
    pub planned: Vec<PlannedStep>,
    pub key: Option<RequestKey>,
}

impl Service {
    /// Stores the job; where it certainly was not stored, the blobs written for it are removed. After a failure of the
    /// database the row may be there all the same, so they are left to the sweep.
    pub(crate) async fn submit_or_forget(
        &self,
        submission: Submission<'_>,
        blobs: Vec<String>,
    ) -> Outcome<Answered<Value>> {
        let outcome = self.submit(submission).await;
        match &outcome {
            Ok(Answered::New(_)) | Err(ServiceError::Unavailable(_) | ServiceError::Internal(_)) => {}
            Ok(Answered::Replayed(_)) | Err(ServiceError::Refused(_)) => self.blobs.delete(&blobs).await?,
        }
        outcome
    }

    async fn submit(&self, submission: Submission<'_>) -> Outcome<Answered<Value>> {
        let Submission { caller, draft, planned, key } = submission;
        let run = self.run_of(caller.project_id(), &draft, planned);
        let answer = run.job.wire(None);
        let new = NewJob {
            idempotency: key.map(|key| key.answer(caller, 202, "application/json", answer.to_string())),
            run,
            request: draft.request,
            artifacts: draft.artifacts,
            now: draft.now,
        };
        match self.store.create_job(new).await? {
            Creation::Created => Ok(Answered::New(answer)),
            Creation::Replayed(stored) => Ok(Answered::Replayed(stored)),
            Creation::KeyReused => Err(key_reused().into()),
            Creation::KeyInUse => Err(key_in_use().into()),
            Creation::InsufficientBalance(shortfall) => Err(insufficient(shortfall).into()),
        }
    }

    fn run_of(&self, project: &ProjectId, draft: &JobDraft, planned: Vec<PlannedStep>) -> Run {
        let created_at = draft.now.timestamp();
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
        let job = Job {
            id: draft.id.clone(),
            project_id: project.clone(),
            operation: draft.operation,
            status: JobStatus::Queued,
            created_at,
            started_at: None,
            completed_at: None,
            progress,
            error: None,
            usage: None,
            metadata: draft.metadata.clone(),
            expires_at: self.expiry(draft.now),
            result_deleted_at: None,
            failure_policy: draft.failure_policy,
            max_cost_usd: draft.max_cost_usd,
            webhook_url: draft.webhook_url.clone(),
        };
        Run { job, steps }
    }

    /// Until when the content of a job made now is kept.
    pub(crate) fn expiry(&self, now: Millis) -> Timestamp {
        now.timestamp().plus_seconds(self.settings.jobs.retention_seconds)
    }

    pub async fn list_jobs(&self, caller: &Caller, page: &Page) -> Outcome<Value> {
        let (jobs, has_more) =
            self.store.list_jobs(caller.project_id(), page.after.as_ref(), page.limit).await?;
        let last_id = jobs.last().map(|stored| stored.job.id.clone());
        let data: Vec<Value> = jobs.iter().map(wire).collect();
        Ok(json!({"object": "list", "data": data, "has_more": has_more, "last_id": last_id}))
    }

    pub async fn read_job(&self, caller: &Caller, id: &JobId) -> Outcome<Value> {
        Ok(wire(&self.owned_job(caller, id).await?))
    }

    pub(crate) async fn owned_job(&self, caller: &Caller, id: &JobId) -> Outcome<StoredJob> {
        self.store.job(caller.project_id(), id).await?.ok_or_else(|| not_found(id, "jobId").into())
    }

    /// Asks a job to stop. On one that is stopping or done already, nothing changes.
    pub async fn cancel_job(
        &self,
        caller: &Caller,
        id: &JobId,
        key: Option<RequestKey>,
    ) -> Outcome<Answered<Value>> {
        if let Some(answer) = self.replay(caller, key.as_ref()).await? {
            return Ok(Answered::Replayed(answer));
        }
        self.owned_job(caller, id).await?;
        let kept = key.as_ref().map(|key| (key.scope(caller), key.fingerprint.clone()));
        let effect = Effect { key: kept, ..Effect::default() };
        match self.advance(id, Command::Cancel, effect).await? {
            Advanced::Replayed(answer) => Ok(Answered::Replayed(answer)),
            Advanced::Changed(Some(answer)) => {
                serde_json::from_str(&answer.body).map(Answered::New).map_err(ServiceError::internal)
            }
            Advanced::Changed(None) | Advanced::Unchanged => {
                Ok(Answered::New(self.read_job(caller, id).await?))
            }
        }
    }

    /// Deletes everything that the job retained; its record stays.
    pub async fn delete_content(&self, caller: &Caller, id: &JobId) -> Outcome<()> {
        let now = self.clock.now();
        let outcome =
            self.store.delete_content(caller.project_id(), id, now, ArtifactStatus::Deleted).await?;
        match outcome {
            DeleteOutcome::NotFound => Err(not_found(id, "jobId").into()),
            DeleteOutcome::NotFinished => Err(not_finished(id).into()),
            DeleteOutcome::Deleted(blobs) => Ok(self.blobs.delete(&blobs).await?),
        }
    }
}

fn wire(stored: &StoredJob) -> Value {
    stored.job.wire(stored.result.as_ref())
}

pub(crate) fn not_found(id: &JobId, param: &str) -> ApiError {
    ApiError::new(ErrorCode::JobNotFound, format!("There is no job `{id}` in this project.")).at(param)
}

fn not_finished(id: &JobId) -> ApiError {
    let message = format!("The job `{id}` is not finished; cancel it first, or wait for its end.");
    ApiError::new(ErrorCode::JobNotFinished, message).at("jobId")
}
