//! One step forward for a job: load it, apply a command, write blobs, commit; again if another was faster.

use auris_domain::id::JobId;
use auris_domain::machine::Command;
use auris_store::{
    CommitOutcome, KeyScope, KeyedAnswer, RunCommit, StepOutput, StoreError, StoredAnswer, VersionedRun,
    crash_point,
};

use crate::error::Outcome;
use crate::idempotency::{key_in_use, key_reused};
use crate::{Service, ServiceError};

/// Two finishes of one job can meet; each loser tries again on the newer state.
const TRIES: usize = 50;

/// What is recorded together with a command, if it is accepted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Effect {
    pub output: Option<StepOutput>,
    /// The key, and the request's fingerprint, under which the job as it becomes is remembered as the answer.
    pub key: Option<(KeyScope, String)>,
}

/// What became of a command.
pub(crate) enum Advanced {
    /// It no longer fits (a late finish, a second cancel): nothing was changed.
    Unchanged,
    /// Recorded, with the answer that is remembered, where there was a key.
    Changed(Option<StoredAnswer>),
    /// The key had been used for this very request before.
    Replayed(StoredAnswer),
}

impl Service {
    /// Applies a command to a job.
    pub(crate) async fn advance(&self, job: &JobId, command: Command, effect: Effect) -> Outcome<Advanced> {
        for _ in 0..TRIES {
            let Some(VersionedRun { mut run, version }) = self.store.load_run(job).await? else {
                return Ok(Advanced::Unchanged);
            };
            let now = self.clock.now();
            let changes = run.apply(command.clone(), now.timestamp()).unwrap_or_default();
            if changes.is_empty() {
                return Ok(Advanced::Unchanged);
            }
            let ending = self.ending(&run, &changes, effect.output.as_ref()).await?;
            let blobs: Vec<String> =
                ending.artifacts.iter().map(|artifact| artifact.blob_key.clone()).collect();
            let full = ending.result.as_ref().map(|result| &result.full);
            let answer = effect.key.as_ref().map(|key| answer(key, run.job.wire(full).to_string()));
            crash_point("advance.before_commit");
            let commit = RunCommit {
                version,
                run,
                changes,
                step_output: effect.output.clone(),
                artifacts: ending.artifacts,
                result: ending.result,
                lease: None,
                now,
                idempotency: answer.clone(),
            };
            match self.store.commit_run(commit).await {
                Ok(CommitOutcome::Committed) => return Ok(Advanced::Changed(answer.map(stored))),
                Ok(outcome) => {
                    self.blobs.delete(&blobs).await?;
                    return refused(outcome);
                }
                Err(StoreError::Conflict) => self.blobs.delete(&blobs).await?,
                Err(error) => return Err(error.into()),
            }
        }
        Err(ServiceError::internal(format!("the job {job} was changed by others too often")))
    }
}

fn answer((scope, fingerprint): &(KeyScope, String), body: String) -> KeyedAnswer {
    KeyedAnswer {
        scope: scope.clone(),
        fingerprint: fingerprint.clone(),
        holder: None,
        status: 200,
        content_type: "application/json".into(),
        body,
    }
}

fn stored(answer: KeyedAnswer) -> StoredAnswer {
    StoredAnswer { status: answer.status, content_type: answer.content_type, body: answer.body }
}

fn refused(outcome: CommitOutcome) -> Outcome<Advanced> {
    match outcome {
        CommitOutcome::Committed => Ok(Advanced::Changed(None)),
        CommitOutcome::Replayed(answer) => Ok(Advanced::Replayed(answer)),
        CommitOutcome::KeyReused => Err(key_reused().into()),
        CommitOutcome::KeyInUse => Err(key_in_use().into()),
    }
}
