//! The one transaction that moves a job: statuses, events, usage, artifacts, result and deliveries together or not at all.

use auris_domain::artifact::Artifact;
use auris_domain::machine::{Change, Run};
use auris_domain::time::Millis;
use serde_json::Value;

use crate::artifacts::insert_artifacts;
use crate::crash::crash_point;
use crate::db::{Tx, args};
use crate::decode::to_json;
use crate::error::StoreError;
use crate::idempotency::{KeyedAnswer, Reservation, StoredAnswer, take_key};
use crate::ledger::book_ended;
use crate::movement::Movement;
use crate::notify::Topic;
use crate::statements::statements;
use crate::store::Store;

statements! {
    INSERT_OUTPUT = "INSERT INTO step_outputs (job_id, ordinal, output, response) VALUES ($1, $2, $3, $4)";
    INSERT_RESULT = "INSERT INTO job_results (job_id, light, result) VALUES ($1, $2, $3)";
}

/// What a command did to a run, and everything that goes with it.
#[derive(Debug, Clone)]
pub struct RunCommit {
    /// The version that was loaded.
    pub version: i64,
    /// The run after `apply`, and what `apply` returned.
    pub run: Run,
    pub changes: Vec<Change>,
    pub step_output: Option<StepOutput>,
    /// Artifacts whose blobs are written already.
    pub artifacts: Vec<Artifact>,
    /// Given when the job became terminal.
    pub result: Option<JobResult>,
    /// Given when a step was started.
    pub lease: Option<Lease>,
    pub now: Millis,
    pub idempotency: Option<KeyedAnswer>,
}

/// The content that a completed step leaves behind.
#[derive(Debug, Clone, PartialEq)]
pub struct StepOutput {
    pub ordinal: i64,
    pub output: Value,
    pub response: Value,
}

/// A job's result, as it is read and as a list shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct JobResult {
    pub full: Value,
    pub light: Value,
}

/// Who runs a step, and until when nobody else may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub ordinal: i64,
    pub worker: String,
    pub until: Millis,
}

/// What became of a commit; without a key it is always `Committed`. Anything else wrote nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitOutcome {
    Committed,
    Replayed(StoredAnswer),
    KeyReused,
    KeyInUse,
}

impl Store {
    /// Stores what a command did. `Conflict` when the job moved on since it was loaded: load, apply and commit again.
    pub async fn commit_run(&self, mut commit: RunCommit) -> Result<CommitOutcome, StoreError> {
        let mut tx = self.database().begin().await?;
        if let Some(answer) = &commit.idempotency {
            let job = Some(&commit.run.job.id);
            let refused = match take_key(&mut tx, answer, job, commit.now).await? {
                Reservation::Reserved => None,
                Reservation::Replayed(answer) => Some(CommitOutcome::Replayed(answer)),
                Reservation::KeyReused => Some(CommitOutcome::KeyReused),
                Reservation::KeyInUse => Some(CommitOutcome::KeyInUse),
            };
            if let Some(outcome) = refused {
                tx.rollback().await?;
                return Ok(outcome);
            }
        }
        let topics = write_commit(&mut tx, &mut commit).await?;
        crash_point("store.commit.before_commit");
        tx.commit().await?;
        crash_point("store.commit.after_commit");
        self.wake(topics);
        Ok(CommitOutcome::Committed)
    }
}

async fn write_commit(tx: &mut Tx, commit: &mut RunCommit) -> Result<Vec<Topic>, StoreError> {
    let lease = commit.lease.as_ref();
    let mut movement = Movement {
        version: commit.version,
        run: &mut commit.run,
        changes: &commit.changes,
        lease: lease.map(|lease| (lease.worker.as_str(), lease.until)),
        now: commit.now,
    };
    let written = movement.write(tx).await?;
    let job = &commit.run.job.id;
    if let Some(done) = &commit.step_output {
        let (output, response) = (to_json(&done.output)?, to_json(&done.response)?);
        tx.later(&INSERT_OUTPUT, args![job, done.ordinal, output, response]).await?;
    }
    insert_artifacts(tx, &commit.artifacts).await?;
    if let Some(result) = &commit.result {
        let (light, full) = (to_json(&result.light)?, to_json(&result.full)?);
        tx.later(&INSERT_RESULT, args![job, light, full]).await?;
    }
    book_ended(tx, &commit.run, &commit.changes, written.released, commit.now).await?;
    Ok(written.topics)
}
