//! Builders: runs, artifacts, keys and whole jobs for the tests.

use auris_domain::artifact::{Artifact, ArtifactOwner, Purpose};
use auris_domain::id::{JobId, ProjectId, RequestId};
use auris_domain::job::{FailurePolicy, Job, JobDetails, JobRequest, Operation, Progress};
use auris_domain::machine::{ClaimedStep, Command, Run, StepHold};
use auris_domain::metadata::Metadata;
use auris_domain::model::Capability;
use auris_domain::money::Usd;
use auris_domain::plan::{PlannedStep, steps};
use auris_domain::result::JobResult;
use auris_domain::step::spec::TaskSpec;
use auris_domain::step::{Cause, StepCode, StepSpec};
use auris_domain::time::Millis;
use auris_domain::usage::{Units, Usage};
use auris_domain::webhook::Endpoint;
use auris_domain::wire::JsonText;
use serde_json::{Value, json};

use super::test_store::{NOW, TestStore};
use auris_store::{
    AudioProgress, Creation, JobLinks, KeyHold, KeyScope, Keyed, KeyedResponse, NewEndpoint, NewEvent,
    NewJob, RunCommit, Span, StepContent, StepEvents, StepWorker, StoreError, SyncUsage,
};

/// A job with one step per element of `needs`, which are the ordinals of the steps that it waits for.
pub(crate) fn run_of(project: &ProjectId, needs: &[&[i64]], now: Millis) -> Run {
    let id = JobId::generate(now);
    let planned = needs.iter().enumerate().map(|(ordinal, needs)| planned_step(ordinal, needs));
    let steps = steps(planned.collect(), &id, now);
    let job = Job::queued(JobDetails {
        id,
        project_id: project.clone(),
        operation: Operation::Analysis,
        created_at: now.timestamp(),
        progress: Progress {
            percent: 0,
            queue_position: None,
            completed_steps: 0,
            total_steps: steps.len() as u64,
            current_steps: Vec::new(),
            audio_seconds_processed: None,
            audio_seconds_total: None,
        },
        metadata: Metadata([("color".to_owned(), "grün \"\\".to_owned())].into()),
        expires_at: now.timestamp().plus_seconds(30 * 86_400),
        result_deleted_at: None,
        failure_policy: FailurePolicy::FailFast,
        max_cost_usd: None,
        webhook_url: None,
    });
    Run { job, steps }
}

fn planned_step(ordinal: usize, needs: &[i64]) -> PlannedStep {
    let task = TaskSpec {
        id: format!("step-{ordinal}"),
        instructions: Some("secret words".into()),
        ..TaskSpec::default()
    };
    PlannedStep {
        requested_model: Some("model".into()),
        resolved_model: "model".into(),
        needs: needs.to_vec(),
        rates: Vec::new(),
        cost_bound: "0.5".parse().unwrap(),
        unit_bound: Units { audio_seconds: 1, input_tokens: 2, output_tokens: 3, characters: 4 },
        spec: StepSpec::Task(Box::new(task)),
    }
}

pub(crate) fn new_job(run: Run) -> NewJob {
    NewJob {
        run,
        request: JobRequest::default(),
        artifacts: Vec::new(),
        links: JobLinks::default(),
        idempotency: None,
        held_until: None,
        now: NOW,
    }
}

/// A worker that runs no step, with a lease of this length.
pub(crate) fn idle_worker(name: &str, lease_ms: i64) -> StepWorker<'_> {
    StepWorker { name, running: 0, now: NOW, lease_until: NOW.plus_ms(lease_ms) }
}

pub(crate) fn artifact_of(job: &Job) -> Artifact {
    let owner = ArtifactOwner { project: &job.project_id, job: &job.id, expires_at: job.expires_at };
    owner.artifact(Purpose::TranscriptJson, 12, NOW)
}

/// JSON text as a value, to look into it.
pub(crate) fn value(text: &JsonText) -> Value {
    serde_json::from_str(text.as_str()).unwrap()
}

pub(crate) fn keyed(project: &ProjectId, key: &str, fingerprint: &str) -> KeyedResponse {
    KeyedResponse {
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

/// The key as one holder reserves it, and the answer that this holder will store.
pub(crate) fn held(project: &ProjectId, holder: &str) -> (KeyHold, KeyedResponse) {
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

/// Events of a step (its ordinal and attempt).
pub(crate) fn step_events(
    job: &JobId,
    (ordinal, attempt): (i64, i64),
    events: Vec<NewEvent>,
    progress: Option<AudioProgress>,
) -> StepEvents {
    let hold = StepHold::from_stored(ordinal, attempt);
    StepEvents { job: job.clone(), hold, events, progress, now: NOW }
}

pub(crate) fn new_endpoint<'a>(
    endpoint: &'a Endpoint,
    sealed_secret: &'a str,
    idempotency: &'a KeyedResponse,
    limit: usize,
) -> NewEndpoint<'a> {
    NewEndpoint { endpoint, sealed_secret, idempotency, limit, now: NOW }
}

/// The usage of a synchronous call for which nothing was held.
pub(crate) fn call_usage(project: &ProjectId, cost: &str, now: Millis) -> SyncUsage {
    SyncUsage {
        request_id: RequestId::generate(now),
        project_id: project.clone(),
        model: "model".into(),
        capability: Capability::Transcription,
        usage: usage(cost),
        held: false,
        now,
    }
}

impl TestStore {
    /// Stores the answer of a reserved key, together with the usage of its call.
    pub(crate) async fn store_answer(&self, answer: &KeyedResponse, now: Millis) -> Result<(), StoreError> {
        self.store.record_sync_usage(&call_usage(&self.project, "0", now), Some(answer)).await
    }

    /// The usage of the project since its creation.
    pub(crate) async fn usage(&self) -> Usage {
        let lines = self.store.usage_lines(&self.project, Span::default()).await.unwrap();
        lines.into_iter().map(|line| line.usage).sum()
    }

    /// Stores a job with one step per element of `needs` and returns its id.
    pub(crate) async fn job(&self, needs: &[&[i64]]) -> JobId {
        let run = run_of(&self.project, needs, NOW);
        let id = run.job.id.clone();
        assert_eq!(self.store.create_job(new_job(run)).await.unwrap(), Keyed::Done(Creation::Created));
        id
    }

    /// Stores a job with one step whose request waits for its end, and returns the job's id and the hold on the key.
    pub(crate) async fn held_job(&self, holder: &str, until: Millis) -> (JobId, KeyHold) {
        let run = run_of(&self.project, &[&[]], NOW);
        let id = run.job.id.clone();
        let (hold, answer) = held(&self.project, holder);
        let new = NewJob { idempotency: Some(answer), held_until: Some(until), ..new_job(run) };
        assert_eq!(self.store.create_job(new).await.unwrap(), Keyed::Done(Creation::Created));
        (id, hold)
    }

    /// Claims all queued steps.
    pub(crate) async fn claim(&self, worker: &str) -> Vec<ClaimedStep> {
        self.store.claim_steps(idle_worker(worker, 60_000), 100).await.unwrap().steps
    }

    /// Loads, applies and commits, as a worker does.
    pub(crate) async fn apply(&self, job: &JobId, command: Command) -> Result<Keyed<()>, StoreError> {
        let commit = self.prepare(job, command).await;
        self.store.commit_run(commit).await
    }

    pub(crate) async fn prepare(&self, job: &JobId, command: Command) -> RunCommit {
        let loaded = self.store.load_run(job).await.unwrap().unwrap();
        let mut run = loaded.run;
        let changes = run.apply(command.clone(), NOW.timestamp()).unwrap();
        let step_content = match command {
            Command::Complete { hold, .. } => Some(StepContent {
                ordinal: hold.ordinal(),
                output: JsonText::of(&json!({"text": format!("output {}", hold.ordinal()), "json": null})),
                response: JsonText::of(&json!({"raw": true})),
            }),
            _ => None,
        };
        let result = run.job.status().is_terminal().then(|| JobResult {
            full: JsonText::of(&json!({"summary": "the whole", "artifacts": []})),
            light: JsonText::of(&json!({"artifacts": []})),
        });
        RunCommit {
            version: loaded.version,
            run,
            changes,
            step_content,
            artifacts: Vec::new(),
            result,
            now: NOW,
            idempotency: None,
        }
    }

    pub(crate) async fn complete(&self, claimed: &ClaimedStep) -> Result<Keyed<()>, StoreError> {
        self.apply(claimed.job_id(), complete(claimed)).await
    }

    /// A completed job with one step.
    pub(crate) async fn finished_job(&self) -> JobId {
        let id = self.job(&[&[]]).await;
        for claimed in self.claim("worker").await {
            self.complete(&claimed).await.unwrap();
        }
        id
    }
}

pub(crate) fn complete(claimed: &ClaimedStep) -> Command {
    Command::Complete { hold: claimed.hold(), resolved_model: Some("model".into()), usage: usage("0.25") }
}

pub(crate) fn fail(claimed: &ClaimedStep) -> Command {
    Command::Fail {
        hold: claimed.hold(),
        cause: Cause::new(StepCode::BackendError, "the upstream said no"),
        usage: Some(usage("0.1")),
    }
}
