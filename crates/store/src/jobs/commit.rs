//! The transaction that changes a job: statuses, events, usage, artifacts, result and deliveries, all or nothing.

use auris_domain::artifact::Artifact;
use auris_domain::machine::{Change, Run, ended_steps};
use auris_domain::result::JobResult;
use auris_domain::time::Millis;
use auris_domain::wire::JsonText;

use super::artifacts::insert_artifacts;
use super::transition::Transition;
use crate::crash_point::crash_point;
use crate::error::StoreError;
use crate::idempotency::{Keyed, KeyedResponse, take_key};
use crate::money::{EndedSteps, book_ended};
use crate::sql::{Tx, args, statements};
use crate::store::Store;
use crate::wakeups::Topic;

statements! {
    INSERT_OUTPUT: BatchedWrite = "INSERT INTO step_outputs (job_id, ordinal, output, response) VALUES ($1, $2, $3, $4)";
    INSERT_RESULT: BatchedWrite = "INSERT INTO job_results (job_id, light, result) VALUES ($1, $2, $3)";
}

/// A state change of a run, and everything that is written with it.
#[derive(Debug, Clone)]
pub struct RunCommit {
    /// The version at which the run was loaded.
    pub version: i64,
    /// The run after `apply`.
    pub run: Run,
    /// What `apply` returned.
    pub changes: Vec<Change>,
    pub step_content: Option<StepContent>,
    /// Artifacts whose blobs are already written.
    pub artifacts: Vec<Artifact>,
    /// Given if the job became terminal.
    pub result: Option<JobResult>,
    pub now: Millis,
    pub idempotency: Option<KeyedResponse>,
}

/// The content that a completed step produced, as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StepContent {
    pub ordinal: i64,
    pub output: JsonText,
    pub response: JsonText,
}

impl Store {
    /// Writes a state change. `Conflict` if the job was changed since it was loaded: load, apply and commit again.
    pub async fn commit_run(&self, mut commit: RunCommit) -> Result<Keyed<()>, StoreError> {
        let mut tx = self.database().begin().await?;
        if let Some(answer) = &commit.idempotency {
            let job = Some(&commit.run.job.id);
            let key = take_key(&mut tx, answer, job, commit.now).await?;
            if let Err(refusal) = key.done_or_refusal() {
                tx.rollback().await?;
                return Ok(refusal);
            }
        }
        let topics = write_commit(&mut tx, &mut commit).await?;
        crash_point("store.commit.before_commit");
        tx.commit().await?;
        crash_point("store.commit.after_commit");
        self.wake(topics);
        Ok(Keyed::Done(()))
    }
}

async fn write_commit(tx: &mut Tx, commit: &mut RunCommit) -> Result<Vec<Topic>, StoreError> {
    let mut transition = Transition {
        version: commit.version,
        run: &mut commit.run,
        changes: &commit.changes,
        lease: None,
        now: commit.now,
    };
    let written = transition.write(tx).await?;
    write_content(tx, commit).await?;
    let ended = EndedSteps {
        project: &commit.run.job.project_id,
        steps: ended_steps(&commit.run, &commit.changes).collect(),
        released: written.released,
        now: commit.now,
    };
    book_ended(tx, &ended).await?;
    Ok(written.topics)
}

async fn write_content(tx: &mut Tx, commit: &RunCommit) -> Result<(), StoreError> {
    let job = &commit.run.job.id;
    if let Some(content) = &commit.step_content {
        let texts = args![job, content.ordinal, content.output.as_str(), content.response.as_str()];
        tx.write_later(&INSERT_OUTPUT, texts).await?;
    }
    insert_artifacts(tx, &commit.artifacts).await?;
    if let Some(result) = &commit.result {
        let texts = args![job, result.light.as_str(), result.full.as_str()];
        tx.write_later(&INSERT_RESULT, texts).await?;
    }
    Ok(())
}
