//! Applies a command to a job: load it, apply the command, write blobs, commit. Repeated if another process was faster.

use std::sync::Arc;

use auris_domain::id::JobId;
use auris_domain::machine::{Command, Refused, Run};
use auris_domain::step::StepOutput;
use auris_domain::wire::{self, JsonText};
use auris_store::{
    KeyScope, Keyed, KeyedResponse, RunCommit, StepContent, StoreError, StoredResponse, VersionedRun,
    crash_point,
};

use crate::access::{key_in_use, key_reused};
use crate::error::Outcome;
use crate::{Service, ServiceError, sized_work};

/// Maximum number of tries. Several steps of one job can end at the same time; each loser tries again on the new state.
const MAX_TRIES: usize = 50;

/// What is stored together with a command, if it is accepted. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Effect {
    pub(crate) completed: Option<Arc<CompletedStep>>,
    pub(crate) key: Option<EffectKey>,
}

/// The content of the step that the command completes. It can be large, so it is written as JSON where long work runs.
#[derive(Debug)]
pub(crate) struct CompletedStep {
    pub(crate) ordinal: i64,
    pub(crate) output: StepOutput,
    pub(crate) response: JsonText,
}

/// The idempotency key under which the job's new state is stored as the answer.
#[derive(Debug, Clone)]
pub(crate) struct EffectKey {
    pub(crate) scope: KeyScope,
    pub(crate) fingerprint: String,
}

/// What became of a command.
pub(crate) enum CommandOutcome {
    /// The command does not fit the job's state (a late finish, a second cancel). Nothing was changed.
    Unchanged,
    /// Committed, with the answer that was stored if there was a key.
    Changed(Option<StoredResponse>),
    /// The same request was answered under this key before.
    Replayed(StoredResponse),
}

/// One try: everything that is committed, and the blobs to delete if it is not.
struct Attempt {
    commit: RunCommit,
    blobs: Vec<String>,
}

impl Service {
    pub(crate) async fn apply_command(
        &self,
        job: &JobId,
        command: Command,
        effect: Effect,
    ) -> Outcome<CommandOutcome> {
        for _ in 0..MAX_TRIES {
            let Some(attempt) = self.attempt(job, &command, &effect).await? else {
                return Ok(CommandOutcome::Unchanged);
            };
            let answer = attempt.commit.idempotency.clone();
            crash_point("advance.before_commit");
            match self.store().commit_run(attempt.commit).await {
                Ok(Keyed::Done(())) => return Ok(CommandOutcome::Changed(answer.map(stored))),
                Ok(Keyed::Replayed(answer)) => {
                    self.blobs().delete(&attempt.blobs).await?;
                    return Ok(CommandOutcome::Replayed(answer));
                }
                Ok(Keyed::KeyReused) => {
                    self.blobs().delete(&attempt.blobs).await?;
                    return Err(key_reused().into());
                }
                Ok(Keyed::KeyInUse) => {
                    self.blobs().delete(&attempt.blobs).await?;
                    return Err(key_in_use().into());
                }
                Err(StoreError::Conflict) => self.blobs().delete(&attempt.blobs).await?,
                Err(error) => return Err(error.into()),
            }
        }
        Err(ServiceError::internal(format!("the job {job} was changed by other processes too often")))
    }

    /// Applies the command to the current state and writes the blobs. `None` if the command changes nothing.
    async fn attempt(&self, job: &JobId, command: &Command, effect: &Effect) -> Outcome<Option<Attempt>> {
        let Some(VersionedRun { mut run, version }) = self.store().load_run(job).await? else {
            return Ok(None);
        };
        let now = self.clock().now();
        let changes = match run.apply(command.clone(), now.timestamp()) {
            Ok(changes) if changes.is_empty() => return Ok(None),
            Ok(changes) => changes,
            Err(forbidden @ Refused::ForbiddenTransition) => return Err(ServiceError::internal(forbidden)),
            Err(refused) => {
                tracing::debug!(%refused, job.id = %job, ?command, "a command no longer fits its job");
                return Ok(None);
            }
        };
        let finished = self.finish_job(&run, &changes, effect.completed.as_ref()).await?;
        let idempotency = match &effect.key {
            Some(key) => Some(answer(key, &run, finished.result.as_ref().map(|result| &result.full)).await?),
            None => None,
        };
        let step_content = match &effect.completed {
            Some(completed) => Some(content(Arc::clone(completed)).await?),
            None => None,
        };
        let commit = RunCommit {
            version,
            idempotency,
            step_content,
            artifacts: finished.artifacts,
            result: finished.result,
            run,
            changes,
            now,
        };
        let blobs = commit.artifacts.iter().map(|artifact| artifact.blob_key.clone()).collect();
        Ok(Some(Attempt { commit, blobs }))
    }
}

async fn content(completed: Arc<CompletedStep>) -> Outcome<StepContent> {
    let bytes = completed.output.content_bytes() + completed.response.as_str().len();
    let write = move || StepContent {
        ordinal: completed.ordinal,
        output: JsonText::of(&completed.output),
        response: completed.response.clone(),
    };
    sized_work::run(bytes, write).await
}

async fn answer(key: &EffectKey, run: &Run, result: Option<&JsonText>) -> Outcome<KeyedResponse> {
    let (job, result) = (run.job.clone(), result.cloned());
    let bytes = result.as_ref().map_or(0, |result| result.as_str().len());
    let body = sized_work::run(bytes, move || wire::job(&job, result.as_ref()).into_string()).await?;
    Ok(KeyedResponse {
        scope: key.scope.clone(),
        fingerprint: key.fingerprint.clone(),
        holder: None,
        status: 200,
        content_type: "application/json".into(),
        body,
    })
}

fn stored(answer: KeyedResponse) -> StoredResponse {
    StoredResponse { status: answer.status, content_type: answer.content_type, body: answer.body }
}
