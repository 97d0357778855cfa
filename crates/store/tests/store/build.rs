//! Builders: runs, artifacts, keys and whole jobs as the tests need them.

use auris_domain::artifact::{Artifact, ArtifactStatus, Purpose};
use auris_domain::id::{ArtifactId, JobId, ProjectId, StepId};
use auris_domain::job::{FailurePolicy, Job, JobStatus, Operation, Progress};
use auris_domain::machine::{Command, Run};
use auris_domain::metadata::Metadata;
use auris_domain::model::Capability;
use auris_domain::money::Usd;
use auris_domain::step::{Cause, Step, StepCode, StepStatus};
use auris_domain::time::Millis;
use auris_domain::usage::Usage;
use serde_json::json;

use super::bed::{Bed, NOW};
use crate::{
    ClaimedStep, CommitOutcome, Creation, JobResult, KeyHold, KeyScope, KeyedAnswer, NewJob, RunCommit,
    StepOutput, StoreError, blob_key,
};

/// A job whose steps need those before them as `needs` tells; the first one waits for nobody.
pub(crate) fn run_of(project: &ProjectId, needs: &[&[i64]], now: Millis) -> Run {
    let id = JobId::generate(now);
    let steps = (0..).zip(needs).map(|(ordinal, needs)| step(&id, ordinal, needs, now));
    let steps: Vec<Step> = steps.collect();
    let job = Job {
        id,
        project_id: project.clone(),
        operation: Operation::Analysis,
        status: JobStatus::Queued,
        created_at: now.timestamp(),
        started_at: None,
        completed_at: None,
        progress: Progress {
            percent: 0,
            queue_position: None,
            completed_steps: 0,
            total_steps: steps.len() as u64,
            current_steps: Vec::new(),
            audio_seconds_processed: None,
            audio_seconds_total: None,
        },
        error: None,
        usage: None,
        metadata: Metadata([("colour".to_owned(), "grün \"\\".to_owned())].into()),
        expires_at: now.timestamp().plus_seconds(30 * 86_400),
        result_deleted_at: None,
        failure_policy: FailurePolicy::FailFast,
        max_cost_usd: None,
        webhook_url: None,
    };
    Run { job, steps }
}

fn step(job: &JobId, ordinal: i64, needs: &[i64], now: Millis) -> Step {
    Step {
        id: StepId::generate(now),
        job_id: job.clone(),
        ordinal,
        key: format!("tasks/step-{ordinal}"),
        capability: Capability::Task,
        status: if needs.is_empty() { StepStatus::Queued } else { StepStatus::Blocked },
        requested_model: Some("model".into()),
        resolved_model: None,
        created_at: now.timestamp(),
        started_at: None,
        completed_at: None,
        error: None,
        usage: None,
        needs: needs.to_vec(),
        rates: Vec::new(),
        cost_bound: "0.5".parse().unwrap(),
        spec: json!({"instructions": "say it"}),
        attempt: 0,
        losses: 0,
    }
}

pub(crate) fn new_job(run: Run) -> NewJob {
    NewJob { run, request: json!({"secret words": true}), artifacts: Vec::new(), idempotency: None, now: NOW }
}

pub(crate) fn artifact_of(job: &Job) -> Artifact {
    let id = ArtifactId::generate(NOW);
    Artifact {
        blob_key: blob_key(&job.project_id, &job.id, &id),
        id,
        project_id: job.project_id.clone(),
        job_id: job.id.clone(),
        purpose: Purpose::TranscriptJson,
        media_type: "application/json".into(),
        bytes: 12,
        status: ArtifactStatus::Available,
        created_at: NOW.timestamp(),
        expires_at: job.expires_at,
    }
}

pub(crate) fn keyed(project: &ProjectId, key: &str, fingerprint: &str) -> KeyedAnswer {
    KeyedAnswer {
        scope: KeyScope {
            project_id: project.clone(),
            method: "POST",
            path: "/v1/audio/analyses".into(),
            key: key.into(),
        },
        fingerprint: fingerprint.into(),
        holder: None,
        status: 202,
        content_type: "application/json".into(),
        body: format!("{{\"answer to\": \"{fingerprint}\"}}"),
    }
}

/// The key in the hands of one holder, and the answer that this one will give.
pub(crate) fn held(project: &ProjectId, holder: &str) -> (KeyHold, KeyedAnswer) {
    let mut answer = keyed(project, "key", "request");
    answer.holder = Some(holder.into());
    let hold = KeyHold { scope: answer.scope.clone(), fingerprint: "request".into(), holder: holder.into() };
    (hold, answer)
}

pub(crate) fn usage(cost: &str) -> Usage {
    Usage {
        audio_seconds: 1,
        input_tokens: 2,
        output_tokens: 3,
        characters: 4,
        cost_usd: cost.parse::<Usd>().unwrap(),
    }
}

impl Bed {
    /// Stores a job with these steps and returns its id.
    pub(crate) async fn job(&self, needs: &[&[i64]]) -> JobId {
        let run = run_of(&self.project, needs, NOW);
        let id = run.job.id.clone();
        assert_eq!(self.store.create_job(new_job(run)).await.unwrap(), Creation::Created);
        id
    }

    /// Claims everything that is queued.
    pub(crate) async fn claim(&self, worker: &str) -> Vec<ClaimedStep> {
        let until = NOW.plus_ms(60_000);
        let claims = self.store.claim_steps(worker, 100, NOW, until).await.unwrap();
        claims.steps
    }

    /// Loads, applies and commits, as a runner does.
    pub(crate) async fn apply(&self, job: &JobId, command: Command) -> Result<CommitOutcome, StoreError> {
        let commit = self.prepare(job, command).await;
        self.store.commit_run(commit).await
    }

    pub(crate) async fn prepare(&self, job: &JobId, command: Command) -> RunCommit {
        let loaded = self.store.load_run(job).await.unwrap().unwrap();
        let mut run = loaded.run;
        let changes = run.apply(command.clone(), NOW.timestamp()).unwrap();
        let step_output = match command {
            Command::Complete { ordinal, .. } => Some(StepOutput {
                ordinal,
                output: json!({"text": format!("output {ordinal}")}),
                response: json!({"raw": true}),
            }),
            _ => None,
        };
        let result = run.job.status.is_terminal().then(|| JobResult {
            full: json!({"summary": "the whole", "artifacts": []}),
            light: json!({"artifacts": []}),
        });
        RunCommit {
            version: loaded.version,
            run,
            changes,
            step_output,
            artifacts: Vec::new(),
            result,
            lease: None,
            now: NOW,
            idempotency: None,
        }
    }

    pub(crate) async fn complete(&self, claimed: &ClaimedStep) -> Result<CommitOutcome, StoreError> {
        self.apply(&claimed.job.id, complete(claimed)).await
    }

    /// A job of one step that is completed already.
    pub(crate) async fn finished_job(&self) -> JobId {
        let id = self.job(&[&[]]).await;
        for claimed in self.claim("worker").await {
            self.complete(&claimed).await.unwrap();
        }
        id
    }
}

pub(crate) fn complete(claimed: &ClaimedStep) -> Command {
    Command::Complete {
        ordinal: claimed.step.ordinal,
        attempt: claimed.step.attempt,
        resolved_model: Some("model".into()),
        usage: usage("0.25"),
    }
}

pub(crate) fn fail(claimed: &ClaimedStep) -> Command {
    Command::Fail {
        ordinal: claimed.step.ordinal,
        attempt: claimed.step.attempt,
        cause: Cause::new(StepCode::BackendError, "the upstream said no"),
        usage: Some(usage("0.1")),
    }
}
