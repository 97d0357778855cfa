//! The one transaction that makes a job: its key, its row, its steps, its artifacts and its first events.

use auris_domain::artifact::Artifact;
use auris_domain::id::ProjectId;
use auris_domain::job::Job;
use auris_domain::machine::{Command, Run};
use auris_domain::step::Step;
use auris_domain::time::Millis;
use serde_json::Value;

use crate::artifacts::insert_artifacts;
use crate::balances::{Admission, Shortfall, hold_in};
use crate::crash::crash_point;
use crate::db::{Tx, args};
use crate::decode::{optional_json, to_json, to_milliseconds};
use crate::error::StoreError;
use crate::events::insert_events;
use crate::idempotency::{KeyedAnswer, Reservation, StoredAnswer, take_key};
use crate::movement::describe;
use crate::notify::Topic;
use crate::statements::statements;
use crate::store::Store;

statements! {
    INSERT_JOB = "INSERT INTO jobs
            (id, project_id, operation, status, version, event_seq, created_at, started_at, completed_at, expires_at,
             percent, completed_steps, total_steps, current_steps, audio_processed_ms, audio_total_ms,
             failure_policy, max_cost_usd, webhook_url, error, usage, metadata, hold_e10)
        VALUES ($1, $2, $3, $4, 1, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)";
    INSERT_REQUEST = "INSERT INTO job_requests (job_id, request) VALUES ($1, $2)";
    INSERT_STEP = "INSERT INTO steps
            (id, job_id, ordinal, step_key, capability, status, requested_model, resolved_model, created_at, started_at,
             completed_at, attempt, losses, error, usage, needs, rates, cost_bound, spec, project_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)";
}

/// A job that is to be stored.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// As planned: `Command::Create` is applied here.
    pub run: Run,
    pub request: Value,
    /// Artifacts whose blobs are written already.
    pub artifacts: Vec<Artifact>,
    pub idempotency: Option<KeyedAnswer>,
    pub now: Millis,
}

/// What became of a new job; anything but `Created` wrote nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Creation {
    Created,
    Replayed(StoredAnswer),
    KeyReused,
    KeyInUse,
    /// The project's balance, less what is held of it, does not cover what the job can cost.
    InsufficientBalance(Shortfall),
}

impl Store {
    /// Stores a job with everything that belongs to it, or nothing. What it can cost at most is held of the balance.
    pub async fn create_job(&self, new: NewJob) -> Result<Creation, StoreError> {
        let creation = self.try_create(&new).await?;
        match creation {
            // What dead processes held comes back now, if it was not swept yet.
            Creation::InsufficientBalance(_) if self.release_expired_holds(new.now).await? > 0 => {
                self.try_create(&new).await
            }
            creation => Ok(creation),
        }
    }

    /// The balance is looked at first, which costs no lock, and taken from last, so that its row is held for a moment only.
    async fn try_create(&self, new: &NewJob) -> Result<Creation, StoreError> {
        let bound = new.run.steps.iter().map(|step| step.cost_bound).sum();
        let admission = self.look_at_balance(&new.run.job.project_id, bound).await?;
        let mut tx = self.database().begin().await?;
        if let Some(answer) = &new.idempotency {
            let refused = match take_key(&mut tx, answer, None, new.now).await? {
                Reservation::Reserved => None,
                Reservation::Replayed(answer) => Some(Creation::Replayed(answer)),
                Reservation::KeyReused => Some(Creation::KeyReused),
                Reservation::KeyInUse => Some(Creation::KeyInUse),
            };
            if let Some(creation) = refused {
                tx.rollback().await?;
                return Ok(creation);
            }
        }
        if let Some(shortfall) = insert_if_covered(&mut tx, new, admission).await? {
            tx.rollback().await?;
            return Ok(Creation::InsufficientBalance(shortfall));
        }
        crash_point("store.create.before_commit");
        tx.commit().await?;
        crash_point("store.create.after_commit");
        self.wake([Topic::Job(new.run.job.id.clone()), Topic::Steps]);
        Ok(Creation::Created)
    }
}

async fn insert_if_covered(
    tx: &mut Tx,
    new: &NewJob,
    admission: Admission,
) -> Result<Option<Shortfall>, StoreError> {
    match admission {
        Admission::Unlimited => insert(tx, new, None).await.map(|()| None),
        Admission::Covered(hold) => {
            insert(tx, new, Some(hold)).await?;
            hold_in(tx, &new.run.job.project_id, hold).await
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
    tx.later(&INSERT_REQUEST, args![&run.job.id, request]).await?;
    for step in &run.steps {
        insert_step(tx, &run.job.project_id, step).await?;
    }
    insert_artifacts(tx, &new.artifacts).await?;
    insert_events(tx, &run.job.id, 1, &events, new.now).await.map(drop)
}

async fn insert_job(tx: &mut Tx, job: &Job, events: i64, hold: Option<i64>) -> Result<(), StoreError> {
    let progress = &job.progress;
    let arguments = args![
        &job.id,
        &job.project_id,
        job.operation.as_str(),
        job.status.as_str(),
        events,
        job.created_at,
        job.started_at,
        job.completed_at,
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
        optional_json(job.error.as_ref())?,
        optional_json(job.usage.as_ref())?,
        to_json(&job.metadata)?,
        hold,
    ];
    tx.later(&INSERT_JOB, arguments).await
}

async fn insert_step(tx: &mut Tx, project: &ProjectId, step: &Step) -> Result<(), StoreError> {
    let arguments = args![
        &step.id,
        &step.job_id,
        step.ordinal,
        &step.key,
        step.capability.as_str(),
        step.status.as_str(),
        step.requested_model.as_deref(),
        step.resolved_model.as_deref(),
        step.created_at,
        step.started_at,
        step.completed_at,
        step.attempt,
        step.losses,
        optional_json(step.error.as_ref())?,
        optional_json(step.usage.as_ref())?,
        to_json(&step.needs)?,
        to_json(&step.rates)?,
        &step.cost_bound,
        to_json(&step.spec)?,
        project,
    ];
    tx.later(&INSERT_STEP, arguments).await
}
