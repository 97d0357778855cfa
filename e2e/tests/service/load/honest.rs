//! A caller who keeps the rules: jobs, uploads, reads and event streams of mixed sizes, with pauses between them.

use std::sync::Arc;
use std::time::Duration;

use auris_e2e::requests::{analysis, transcription_form};
use auris_e2e::{Call, Client, Form, Reply, SeededRandom, Server, wav};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

use super::latencies::Latencies;

/// Synchronous transcriptions of a project at once: fewer than its key may run, and fewer in all projects together than
/// the server accepts.
const SYNCHRONOUS_CALLS: usize = 6;
const LONGEST_PAUSE_MS: usize = 2_000;

/// What the callers have in common.
#[derive(Clone)]
pub(super) struct Shared {
    projects: Arc<Vec<Project>>,
    small: Form,
    large: Form,
    long_transcript: Arc<Value>,
}

struct Project {
    client: Client,
    finished_job: String,
    synchronous: Arc<Semaphore>,
}

impl Shared {
    pub(super) async fn new(server: &Server, clients: Vec<Client>) -> Self {
        let small = transcription_form(&clients[0]).await;
        let large = small.clone().without("file").file(wav(120_000));
        let long = "The committee agreed on the third point of the plan. ".repeat(8_000);
        let long_transcript = json!({"transcript": {"text": long}, "processing": {"summary": {}}});
        let mut projects = Vec::new();
        for client in clients {
            let call = client.post("/v1/audio/analyses").json(&analysis());
            let finished_job = call.send().await.expect_status(202).id();
            server.finished(&client, &finished_job).await;
            let synchronous = Arc::new(Semaphore::new(SYNCHRONOUS_CALLS));
            projects.push(Project { client, finished_job, synchronous });
        }
        Self { projects: Arc::new(projects), small, large, long_transcript: Arc::new(long_transcript) }
    }

    pub(super) fn clients(&self) -> impl Iterator<Item = &Client> {
        self.projects.iter().map(|project| &project.client)
    }
}

pub(super) struct HonestCaller {
    project: usize,
    shared: Shared,
    random: SeededRandom,
    latencies: Latencies,
}

impl HonestCaller {
    pub(super) fn new(number: usize, shared: Shared) -> Self {
        let project = number % shared.projects.len();
        Self {
            project,
            shared,
            random: SeededRandom::numbered(number as u64),
            latencies: Latencies::default(),
        }
    }

    pub(super) async fn call_until(mut self, end: Instant) -> Latencies {
        // They do not all begin in the same moment, which no real callers do either.
        self.pause().await;
        while Instant::now() < end {
            self.call().await;
            self.pause().await;
        }
        self.latencies
    }

    async fn pause(&mut self) {
        sleep(Duration::from_millis(self.random.below(LONGEST_PAUSE_MS) as u64)).await;
    }

    async fn call(&mut self) {
        match self.random.below(1_000) {
            0..450 => self.read_job().await,
            450..570 => self.timed("list", 200, |caller| caller.client().get("/v1/jobs?limit=20")).await,
            570..700 => self.timed("analysis", 202, |caller| caller.analysis(&analysis())).await,
            700..720 => {
                self.timed("long analysis", 202, |caller| caller.analysis(&caller.shared.long_transcript))
                    .await;
            }
            720..815 => self.timed("upload", 202, |caller| caller.upload(&caller.shared.small)).await,
            // Rare, because the recordings of half an hour stay on the disk.
            815..818 => self.timed("large upload", 202, |caller| caller.upload(&caller.shared.large)).await,
            818..940 => self.transcribe().await,
            _ => self.read_events().await,
        }
    }

    fn client(&self) -> &Client {
        &self.shared.projects[self.project].client
    }

    fn finished_job(&self) -> &str {
        &self.shared.projects[self.project].finished_job
    }

    fn analysis(&self, body: &Value) -> Call {
        self.client().post("/v1/audio/analyses").json(body)
    }

    fn upload(&self, form: &Form) -> Call {
        self.client().post("/v1/audio/transcriptions").form(&form.clone().text("async", "true"))
    }

    async fn read_job(&mut self) {
        let path = format!("/v1/jobs/{}", self.finished_job());
        self.timed("read", 200, |caller| caller.client().get(&path)).await;
    }

    async fn transcribe(&mut self) {
        let slots = Arc::clone(&self.shared.projects[self.project].synchronous);
        let _slot = slots.acquire().await.expect("the semaphore is never closed");
        let form = self.shared.small.clone();
        self.timed("transcription", 200, |caller| {
            caller.client().post("/v1/audio/transcriptions").form(&form)
        })
        .await;
    }

    async fn read_events(&mut self) {
        let started = Instant::now();
        let path = format!("/v1/jobs/{}/events", self.finished_job());
        let events = self.client().get(&path).stream().await.rest().await;
        assert!(!events.is_empty());
        self.latencies.record("events", started.elapsed());
    }

    /// Sends a request that must have this status, and records how long it took.
    async fn timed(&mut self, kind: &'static str, status: u16, call: impl FnOnce(&Self) -> Call) {
        let call = call(self);
        let started = Instant::now();
        let reply: Reply = call.send().await;
        self.latencies.record(kind, started.elapsed());
        reply.expect_status(status);
    }
}
