//! Small jobs of every kind, sent to a server that may crash at any moment.

use std::collections::BTreeMap;
use std::time::Duration;

use auris_e2e::balances::Account;
use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::{analysis, transcription_form};
use auris_e2e::settings::{ALLOWED_NETWORKS, DELIVER, LEASE_SECONDS, SWEEP_SECONDS, WEBHOOK_TIMEOUT_SECONDS};
use auris_e2e::ten_billionths;
use auris_e2e::{
    Client, DatabaseKind, Form, Reply, Server, ServerOptions, WebhookReceiver, eventually, eventually_within,
};
use serde_json::{Value, json};

/// More than all jobs of a test can cost.
const CREDIT: &str = "1000";

/// A server that notices a lost worker within seconds.
pub(crate) fn options(database: DatabaseKind) -> ServerOptions {
    ServerOptions::new(database).with(LEASE_SECONDS, 3).with(SWEEP_SECONDS, 1)
}

/// The same, with webhooks delivered to this machine.
pub(crate) fn delivering_options(database: DatabaseKind) -> ServerOptions {
    let options = options(database).with(DELIVER, true).with(ALLOWED_NETWORKS, "127.0.0.0/8");
    options.with(WEBHOOK_TIMEOUT_SECONDS, 1)
}

/// The requests that create the jobs.
pub(crate) struct Workload {
    form: Form,
    sent: usize,
}

impl Workload {
    pub(crate) async fn new(client: &Client) -> Self {
        let form = transcription_form(client).await.text("async", "true");
        Self { form, sent: 0 }
    }

    /// The same jobs, each transcription with this webhook URL. The receiver of the tests has no certificate, and only
    /// a transcription accepts `http`.
    pub(crate) fn with_webhook(self, url: &str) -> Self {
        Self { form: self.form.text("webhook_url", url), ..self }
    }

    /// Sends the next request with a new idempotency key; `None` if the server crashed in the meantime.
    pub(crate) async fn send(&mut self, client: &Client) -> Option<Reply> {
        self.sent += 1;
        let key = format!("crash-{}", self.sent);
        let call = match self.sent % 3 {
            0 => client.post("/v1/audio/transcriptions").form(&self.form),
            1 => client.post("/v1/audio/analyses").json(&analysis()),
            _ => client.post("/v1/audio/analyses").json(&three_steps()),
        };
        call.idempotency_key(&key).try_send().await.ok()
    }
}

fn three_steps() -> Value {
    json!({
        "transcript": {"text": "Anna met Boris. fake:delay=5"},
        "processing": {"summary": {}, "topics": {}, "sentiment": {}, "failure_policy": "continue_independent"},
    })
}

/// Checks every job of the project, and that every accepted job is one of them.
pub(crate) async fn check_all_jobs(server: &Server, client: &Client, accepted: &[String]) -> Tally {
    let mut tally = Tally::default();
    let ids = all_jobs(client).await;
    for id in accepted {
        assert!(ids.contains(id), "the accepted job {id} is lost");
    }
    all_jobs_end(client).await;
    for id in &ids {
        let job = wait_and_check(server, client, id).await;
        tally.count(&job);
    }
    assert_eq!(tally.cancelled, 0);
    let account = Account::of(server, "default");
    let paid = ten_billionths(CREDIT) - account.balance;
    assert_eq!(
        (account.held, account.cost, paid),
        (0, tally.cost, tally.cost),
        "every step was charged once"
    );
    tally
}

/// Checks that the end of every transcription of a workload with a webhook was delivered, validly signed and always as
/// the same event. Deliveries that were sent and not recorded are sent again, so a job may be delivered more than once.
/// Returns the number of jobs.
pub(crate) async fn every_transcription_is_delivered(
    server: &Server,
    client: &Client,
    receiver: &WebhookReceiver,
) -> usize {
    let pages = job_pages(client).await;
    let jobs = pages.iter().flat_map(|page| page["data"].as_array().into_iter().flatten());
    let transcriptions = jobs.filter(|job| job["operation"] == "transcription");
    let wanted: Vec<&str> = transcriptions.filter_map(|job| job["id"].as_str()).collect();
    assert!(!wanted.is_empty(), "the workload has transcriptions");
    // Long enough for a busy machine and for retries after failed deliveries.
    let deadline = Duration::from_secs(480 + wanted.len() as u64 / 5);
    eventually_within(deadline, "a delivery for every transcription", || async {
        let delivered = delivered_events(receiver);
        wanted.iter().all(|job| delivered.contains_key(*job)).then_some(())
    })
    .await;
    receiver.check_signatures(&server.webhook_secret());
    wanted.len()
}

/// The event of each job that was delivered.
fn delivered_events(receiver: &WebhookReceiver) -> BTreeMap<String, String> {
    let mut events = BTreeMap::new();
    for received in receiver.received() {
        let event = events.entry(received.job()).or_insert_with(|| received.id.clone());
        assert_eq!(*event, received.id, "a job has one terminal event");
    }
    events
}

/// Waits as long as jobs keep ending: after thousands of kills many are queued. The limit is the time in which none ends.
async fn all_jobs_end(client: &Client) {
    let mut open = open_jobs(client).await;
    while open > 0 {
        open = eventually("another job to end", || async {
            let now_open = open_jobs(client).await;
            (now_open < open).then_some(now_open)
        })
        .await;
    }
}

async fn open_jobs(client: &Client) -> usize {
    let pages = job_pages(client).await;
    let jobs = pages.iter().flat_map(|page| page["data"].as_array().into_iter().flatten());
    let is_open = |job: &&Value| {
        ["queued", "in_progress", "cancelling"].contains(&job["status"].as_str().unwrap_or_default())
    };
    jobs.filter(is_open).count()
}

/// Starts a server with a balance for the jobs.
pub(crate) async fn start(options: ServerOptions) -> Server {
    let server = options.start().await;
    give_credit(&server);
    server
}

/// Sets the balance of the project `default`.
pub(crate) fn give_credit(server: &Server) {
    server.auris(&["projects", "credit", "default", CREDIT]);
}

/// How many jobs ended how.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) completed: usize,
    pub(crate) failed: usize,
    pub(crate) cancelled: usize,
    /// In ten-billionths of a dollar.
    pub(crate) cost: i128,
}

impl Tally {
    fn count(&mut self, job: &Value) {
        self.cost += job["usage"]["cost_usd"].as_str().map_or(0, ten_billionths);
        match job["status"].as_str() {
            Some("completed") => self.completed += 1,
            Some("failed") => {
                // A job may only fail because it lost its worker three times.
                assert_eq!(job["error"]["code"], "worker_lost", "{job}");
                self.failed += 1;
            }
            _ => self.cancelled += 1,
        }
        if job["operation"] == "transcription" && job["status"] == "completed" {
            assert_eq!(job["usage"]["audio_seconds"], 1, "the seconds are counted once: {job}");
        }
    }
}

pub(crate) async fn all_jobs(client: &Client) -> Vec<String> {
    let pages = job_pages(client).await;
    let jobs = pages.iter().flat_map(|page| page["data"].as_array().into_iter().flatten());
    jobs.filter_map(|job| job["id"].as_str().map(str::to_owned)).collect()
}

/// The list of all jobs, newest first.
async fn job_pages(client: &Client) -> Vec<Value> {
    let mut pages = Vec::new();
    let mut query = "?limit=100".to_owned();
    loop {
        let page = client.get(&format!("/v1/jobs{query}")).send().await.expect_status(200).json();
        let is_last = page["has_more"] == false;
        query = format!("?limit=100&after={}", page["last_id"].as_str().unwrap_or_default());
        pages.push(page);
        if is_last {
            return pages;
        }
    }
}
