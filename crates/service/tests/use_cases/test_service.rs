//! A service for tests, with one project, a manual clock, and jobs that end when a test ends them.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use auris_domain::id::{DeliveryId, EndpointId, JobId, ProjectId};
use auris_domain::job::{FailurePolicy, Job, JobDetails, JobRequest, Operation, Progress};
use auris_domain::machine::{Command, Run};
use auris_domain::metadata::Metadata;
use auris_domain::plan::{self, PlannedStep};
use auris_domain::step::{StepSpec, TextStage};
use auris_domain::time::{Clock, Millis};
use auris_domain::usage::Units;
use auris_domain::webhook::{Endpoint, EndpointStatus};
use auris_engines::{Catalog, EngineSettings, Engines};
use auris_service::webhooks::Deliverer;
use auris_service::webhooks::client::{ClientSettings, GuardedClient, Names};
use auris_service::webhooks::guard::{Guard, parse_network};
use auris_service::webhooks::secrets::WebhookSecrets;
use auris_service::webhooks::sign::SigningSecret;
use auris_service::{
    DiskSettings, JobSettings, Limits, MasterKey, MasterKeys, Parts, RateSettings, Service, ServiceSettings,
    TranscriptionSettings, UploadSettings, WebhookSettings,
};
use auris_store::{
    Attempt, Blobs, Creation, DatabaseSettings, Delivery, DeliveryFilter, JobLinks, KeyScope, Keyed,
    KeyedResponse, NewEndpoint, NewJob, RunCommit, Store,
};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

const UNLIMITED: Limits = Limits { requests_per_minute: 0, concurrent_transcriptions: 0 };

const DATABASE: &str = "auris.db";

/// 2026-11-15 00:00:00 UTC.
pub(crate) const NOW: Millis = Millis(1_794_700_800_000);

pub(crate) struct TestService {
    pub(crate) service: Service,
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) master_key: MasterKeys,
    pub(crate) deliverer: Deliverer,
    pub(crate) project: ProjectId,
    pub(crate) stop: CancellationToken,
    folder: TempDir,
}

/// Settings that a test can change.
pub(crate) struct TestSettings {
    pub(crate) timeout: Duration,
    /// Of a synchronous transcription.
    pub(crate) deadline: Duration,
    pub(crate) per_endpoint: usize,
    pub(crate) allowed: &'static [&'static str],
    pub(crate) names: Names,
    pub(crate) sweep: Duration,
}

impl Default for TestSettings {
    fn default() -> Self {
        Self {
            sweep: Duration::from_secs(1),
            timeout: Duration::from_secs(20),
            deadline: Duration::from_secs(1),
            per_endpoint: 4,
            allowed: &["127.0.0.0/8"],
            names: Names::System,
        }
    }
}

impl TestService {
    pub(crate) async fn new() -> Self {
        Self::with(TestSettings::default()).await
    }

    pub(crate) async fn with(options: TestSettings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join(DATABASE).display());
        let store = Store::open(&DatabaseSettings::new(url, 4)).await.unwrap();
        store.migrate().await.unwrap();
        let project = store.create_project("test", NOW).await.unwrap().unwrap().id;
        let settings = settings(folder.path(), &options);
        let client = GuardedClient::new(ClientSettings {
            guard: Guard::new(settings.webhooks.allowed_networks.clone()),
            names: options.names,
            extra_certificates: None,
            connect_timeout: options.timeout,
            timeout: options.timeout,
        });
        let engines = EngineSettings { models_dir: folder.path().join("models"), max_audio_seconds: 600.0 };
        let stop = CancellationToken::new();
        let clock = Clock::manual(NOW);
        let master_key = MasterKeys::from(MasterKey::generate());
        let service = Service::new(Parts {
            store: store.clone(),
            blobs: Blobs::folder(&folder.path().join("blobs")).unwrap(),
            engines: Arc::new(Engines::new(Catalog::built_in().unwrap().with_fake().unwrap(), engines)),
            clock: clock.clone(),
            settings,
            master_key: master_key.clone(),
            max_uploads: 8,
            shutdown: stop.clone(),
        });
        let deliverer = Deliverer::new(service.clone(), client.unwrap(), stop.clone());
        Self { service, store, clock, master_key, deliverer, project, stop, folder }
    }

    pub(crate) fn secrets(&self) -> WebhookSecrets {
        WebhookSecrets::new(self.store.clone(), self.master_key.clone(), self.clock.clone())
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs SQL on a separate connection, as another process would.
    pub(crate) fn sql(&self, text: &str) {
        rusqlite::Connection::open(self.folder.path().join(DATABASE)).unwrap().execute_batch(text).unwrap();
    }

    /// Adds the row of a blob.
    pub(crate) fn artifact_row(&self, job: &JobId, blob_key: &str, status: &str) {
        let id = blob_key.rsplit('/').next().unwrap();
        let project = &self.project;
        self.sql(&format!(
            "INSERT INTO artifacts (id, project_id, job_id, purpose, media_type, bytes, status, created_at, expires_at,
                blob_key)
            VALUES ('{id}', '{project}', '{job}', 'input.audio', 'audio/wav', 5, '{status}', 1, 9999999999, '{blob_key}')"
        ));
    }

    /// The number of rows that a condition such as `jobs WHERE id = 'x'` selects.
    pub(crate) fn count(&self, from: &str) -> i64 {
        let connection = rusqlite::Connection::open(self.folder.path().join(DATABASE)).unwrap();
        connection.query_row(&format!("SELECT COUNT(*) FROM {from}"), [], |row| row.get(0)).unwrap()
    }

    /// Advances the clock.
    pub(crate) fn advance(&self, ms: i64) {
        self.clock.advance(ms);
    }

    /// Creates an endpoint and returns its id and secret.
    pub(crate) async fn endpoint(&self, url: &str) -> (EndpointId, SigningSecret) {
        let (id, secret) = (EndpointId::generate(self.clock.now()), SigningSecret::generate());
        let endpoint = Endpoint {
            id: id.clone(),
            project_id: self.project.clone(),
            url: url.to_owned(),
            status: EndpointStatus::Enabled,
            created_at: NOW.timestamp(),
        };
        let sealed = self.master_key.seal(id.as_str(), secret.reveal().as_bytes()).unwrap();
        let scope = KeyScope {
            project_id: self.project.clone(),
            method: "POST",
            path: "/v1/webhook_endpoints".into(),
            key: id.to_string(),
        };
        let answer = KeyedResponse {
            scope,
            fingerprint: String::new(),
            holder: None,
            status: 201,
            content_type: "application/json".into(),
            body: self.master_key.seal("idempotent answer", b"{}").unwrap(),
        };
        let new = NewEndpoint {
            endpoint: &endpoint,
            sealed_secret: &sealed,
            idempotency: &answer,
            limit: 16,
            now: NOW,
        };
        self.store.create_endpoint(new).await.unwrap();
        (id, secret)
    }

    pub(crate) async fn endpoint_status(&self, id: &EndpointId) -> EndpointStatus {
        let endpoints = self.store.endpoints(&self.project).await.unwrap();
        endpoints.into_iter().find(|endpoint| endpoint.id == *id).unwrap().status
    }

    /// Creates a job with one step.
    pub(crate) async fn queue_job(&self, webhook_url: Option<&str>) -> JobId {
        let now = self.clock.now();
        let run = run(&self.project, webhook_url, now);
        let id = run.job.id.clone();
        let new = NewJob {
            run,
            request: JobRequest::default(),
            artifacts: vec![],
            links: JobLinks::default(),
            idempotency: None,
            held_until: None,
            now,
        };
        assert_eq!(self.store.create_job(new).await.unwrap(), Keyed::Done(Creation::Created));
        id
    }

    /// Creates a job that ends at once. Every endpoint and the webhook URL get a delivery.
    pub(crate) async fn job_ends(&self, webhook_url: Option<&str>) -> JobId {
        let now = self.clock.now();
        let id = self.queue_job(webhook_url).await;
        let loaded = self.store.load_run(&id).await.unwrap().unwrap();
        let mut run = loaded.run;
        let changes = run.apply(Command::Cancel, now.timestamp()).unwrap();
        let commit = RunCommit {
            version: loaded.version,
            run,
            changes,
            step_content: None,
            artifacts: vec![],
            result: None,
            now,
            idempotency: None,
        };
        self.store.commit_run(commit).await.unwrap();
        id
    }

    /// Sends the due deliveries and returns the number of attempts.
    pub(crate) async fn deliver(&self) -> usize {
        self.deliverer.deliver_due().await.unwrap()
    }

    pub(crate) async fn deliveries(&self) -> Vec<Delivery> {
        let filter = DeliveryFilter::default();
        self.store.deliveries(&self.project, &filter, 1_000).await.unwrap()
    }

    /// The only delivery.
    pub(crate) async fn delivery(&self) -> Delivery {
        let mut deliveries = self.deliveries().await;
        assert_eq!(deliveries.len(), 1);
        deliveries.remove(0)
    }

    pub(crate) async fn attempts(&self, id: &DeliveryId) -> Vec<Attempt> {
        self.store.attempts(id).await.unwrap()
    }

    /// The last attempt of the only delivery.
    pub(crate) async fn last_attempt(&self) -> Attempt {
        let delivery = self.delivery().await;
        self.attempts(&delivery.id).await.pop().unwrap()
    }
}

/// Resolves host names with `lookup`.
pub(crate) fn names(lookup: impl Fn(&str) -> Vec<IpAddr> + Send + Sync + 'static) -> Names {
    Names::Given(Arc::new(lookup))
}

fn settings(folder: &Path, options: &TestSettings) -> ServiceSettings {
    let second = Duration::from_secs(1);
    ServiceSettings {
        spool_dir: folder.join("spool"),
        disk: DiskSettings { folders: vec![folder.to_owned()], min_free_bytes: 0 },
        transcription: TranscriptionSettings { deadline: options.deadline, concurrent_calls: 1 },
        jobs: JobSettings {
            concurrency: 1,
            lease: second,
            poll: Duration::from_millis(20),
            // No test waits for it, and a busy machine can take long for a step.
            step_timeout: Duration::from_secs(600),
            record_end: second,
            retention_seconds: 1,
            record_seconds: 1,
            sweep: options.sweep,
            drain: second,
        },
        rates: RateSettings {
            key: UNLIMITED,
            project: UNLIMITED,
            uploads: UploadSettings { concurrent: 0, wait: Duration::ZERO },
            concurrent_streams: 0,
        },
        webhooks: WebhookSettings {
            deliver: true,
            allowed_networks: options.allowed.iter().map(|text| parse_network(text).unwrap()).collect(),
            extra_certificates: None,
            timeout: options.timeout,
            connect_timeout: options.timeout,
            concurrency: 64,
            per_endpoint: options.per_endpoint,
        },
        signed_url_seconds: 60,
    }
}

/// A queued analysis with one step.
fn run(project: &ProjectId, webhook_url: Option<&str>, now: Millis) -> Run {
    let id = JobId::generate(now);
    let planned = PlannedStep {
        requested_model: None,
        resolved_model: "model".into(),
        needs: vec![],
        rates: vec![],
        cost_bound: "0".parse().unwrap(),
        unit_bound: Units::default(),
        spec: StepSpec::Stage(TextStage::Topics),
    };
    let steps = plan::steps(vec![planned], &id, now);
    let job = Job::queued(JobDetails {
        id,
        project_id: project.clone(),
        operation: Operation::Analysis,
        created_at: now.timestamp(),
        progress: Progress {
            percent: 0,
            queue_position: None,
            completed_steps: 0,
            total_steps: 1,
            current_steps: vec![],
            audio_seconds_processed: None,
            audio_seconds_total: None,
        },
        metadata: Metadata([("name".to_owned(), "grün \"\\ 🎧".to_owned())].into()),
        expires_at: now.timestamp().plus_seconds(86_400),
        result_deleted_at: None,
        failure_policy: FailurePolicy::FailFast,
        max_cost_usd: None,
        webhook_url: webhook_url.map(str::to_owned),
    });
    Run { job, steps }
}
