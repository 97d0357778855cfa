//! The transaction that creates a job: its idempotency key, row, steps, artifacts and first events.

use auris_domain::artifact::Artifact;
use auris_domain::id::ProjectId;
use auris_domain::job::{Job, JobRequest};
use auris_domain::machine::{Command, Run};
use auris_domain::step::Step;
use auris_domain::time::Millis;

use super::annotations::{JobLinks, insert_links};
use super::artifacts::insert_artifacts;
use super::events::{NumberedEvents, insert_events};
use super::transition::describe;
use crate::crash_point::crash_point;
use crate::error::StoreError;
use crate::idempotency::{HeldJob, Keyed, KeyedResponse, hold_key, take_key};
use crate::money::{Admission, Shortfall, hold};
use crate::sql::{Tx, args, optional_json, statements, to_json, to_milliseconds};
use crate::store::Store;
use crate::wakeups::Topic;

statements! {
    INSERT_JOB: BatchedWrite = "INSERT INTO jobs
            (id, project_id, operation, status, version, event_seq, created_at, started_at, completed_at, expires_at,
             percent, completed_steps, total_steps, current_steps, audio_processed_ms, audio_total_ms,
             failure_policy, max_cost_usd, webhook_url, error, usage, metadata, hold_e10)
        VALUES ($1, $2, $3, $4, 1, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)";
    INSERT_REQUEST: BatchedWrite = "INSERT INTO job_requests (job_id, request) VALUES ($1, $2)";
    INSERT_STEP: BatchedWrite = "INSERT INTO steps
            (id, job_id, ordinal, step_key, capability, status, requested_model, resolved_model, created_at, started_at,
             completed_at, attempt, losses, error, usage, needs, rates, cost_bound, spec, project_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)";
}

/// A job to be stored.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// The run as planned: `create_job` applies `Command::Create` to it.
    pub run: Run,
    pub request: JobRequest,
    /// Artifacts whose blobs are already written.
    pub artifacts: Vec<Artifact>,
    pub links: JobLinks,
    pub idempotency: Option<KeyedResponse>,
    /// Until when the request holds its key, if its answer waits for the job's end.
    pub held_until: Option<Millis>,
    pub now: Millis,
}

/// The outcome of creating a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Creation {
    Created,
    /// Nothing was written: the available balance does not cover the job's maximum cost.
    InsufficientBalance(Shortfall),
}

impl Store {
    /// Stores a job with everything that belongs to it, or nothing. Its maximum cost is held on the project's balance.
    pub async fn create_job(&self, new: NewJob) -> Result<Keyed<Creation>, StoreError> {
        let is_short = |made: &Keyed<Creation>| matches!(made, Keyed::Done(Creation::InsufficientBalance(_)));
        self.retry_without_expired_holds(new.now, is_short, || self.try_create(&new)).await
    }

    /// Reads the balance first, which takes no lock, and updates it last, so that its row is locked only briefly.
    async fn try_create(&self, new: &NewJob) -> Result<Keyed<Creation>, StoreError> {
        let bound = new.run.steps.iter().map(|step| step.cost_bound).sum();
        let admission = self.check_balance(&new.run.job.project_id, bound).await?;
        let mut tx = self.database().begin().await?;
        if let Some(answer) = &new.idempotency
            && let Err(refusal) = key_of(&mut tx, new, answer).await?.done_or_refusal()
        {
            tx.rollback().await?;
            return Ok(refusal);
        }
        if let Some(shortfall) = insert_if_covered(&mut tx, new, admission).await? {
            tx.rollback().await?;
            return Ok(Keyed::Done(Creation::InsufficientBalance(shortfall)));
        }
        crash_point("store.create.before_commit");
        tx.commit().await?;
        crash_point("store.create.after_commit");
        self.wake([Topic::Job(new.run.job.id.clone()), Topic::Steps]);
        Ok(Keyed::Done(Creation::Created))
    }
}

async fn key_of(tx: &mut Tx, new: &NewJob, answer: &KeyedResponse) -> Result<Keyed<()>, StoreError> {
    match new.held_until {
        Some(until) => hold_key(tx, answer, HeldJob { job: &new.run.job.id, until }, new.now).await,
        None => take_key(tx, answer, None, new.now).await,
    }
}

async fn insert_if_covered(
    tx: &mut Tx,
    new: &NewJob,
    admission: Admission,
) -> Result<Option<Shortfall>, StoreError> {
    match admission {
        Admission::Unlimited => insert(tx, new, None).await.map(|()| None),
        Admission::Covered(amount) => {
            insert(tx, new, Some(amount)).await?;
            hold(tx, &new.run.job.project_id, amount).await
        }
        Admission::Short(shortfall) => Ok(Some(shortfall)),
    }
}

async fn insert(tx: &mut Tx, new: &NewJob, hold: Option<i64>) -> Result<(), StoreError> {
    let mut run = new.run.clone();
    let changes = run
        .apply(Command::Create, new.now.timestamp())
        .map_err(|refused| StoreError::Internal(refused.into()))?;
    let events = describe(&run, &changes);
    insert_job(tx, &run.job, events.len() as i64, hold).await?;
    let request = to_json(&new.request)?;
    tx.write_later(&INSERT_REQUEST, args![&run.job.id, request]).await?;
    for step in &run.steps {
        insert_step(tx, &run.job.project_id, step).await?;
    }
    insert_artifacts(tx, &new.artifacts).await?;
    insert_links(tx, &run.job, &new.links).await?;
    let numbered = NumberedEvents { job: &run.job.id, first: 1, events: &events };
    insert_events(tx, numbered, new.now).await.map(drop)
}

async fn insert_job(tx: &mut Tx, job: &Job, events: i64, hold: Option<i64>) -> Result<(), StoreError> {
    let progress = &job.progress;
    let arguments = args![
        &job.id,
        &job.project_id,
        job.operation.as_str(),
        job.status().as_str(),
        events,
        job.created_at,
        job.started_at(),
        job.completed_at(),
        job.expires_at,
        i64::from(progress.percent),
        progress.completed_steps,
        progress.total_steps,
        to_json(&progress.current_steps)?,
        progress.audio_seconds_processed.map(to_milliseconds),
        progress.audio_seconds_total.map(to_milliseconds),
        job.failure_policy.as_str(),
        job.max_cost_usd.as_ref(),
        job.webhook_url.as_deref(),
        optional_json(job.error())?,
        optional_json(job.usage())?,
        to_json(&job.metadata)?,
        hold,
    ];
    tx.write_later(&INSERT_JOB, arguments).await
}

async fn insert_step(tx: &mut Tx, project: &ProjectId, step: &Step) -> Result<(), StoreError> {
    let spec = spec_column(step)?;
    let arguments = args![
        &step.id,
        &step.job_id,
        step.ordinal,
        &step.key,
        step.capability().as_str(),
        step.status().as_str(),
        step.requested_model.as_deref(),
        step.resolved_model(),
        step.created_at,
        step.started_at(),
        step.completed_at(),
        step.attempt(),
        step.losses(),
        optional_json(step.error())?,
        optional_json(step.usage())?,
        to_json(&step.needs)?,
        to_json(&step.rates)?,
        &step.cost_bound,
        spec,
        project,
    ];
    tx.write_later(&INSERT_STEP, arguments).await
}

fn spec_column(step: &Step) -> Result<String, StoreError> {
    let missing = || StoreError::Internal("a new step has no work".into());
    let work = step.work.as_ref().ok_or_else(missing)?;
    work.to_column().map_err(|error| StoreError::Internal(error.into()))
}
