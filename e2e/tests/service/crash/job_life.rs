//! One job's life, by a client that repeats what was not answered and restarts a server that has died.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use auris_e2e::finished_job::is_consistent;
use auris_e2e::{Call, Client, Event, Form, Reply, Server, WebhookReceiver, data_folder};
use serde_json::Value;

/// How long the client waits for an answer before it asks again.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// The wait before a request is repeated.
const PAUSE: Duration = Duration::from_millis(50);
/// Long enough for a busy machine and for leases that must expire first.
const DEADLINE: Duration = Duration::from_secs(60);
const TERMINAL: [&str; 3] = ["job.completed", "job.failed", "job.cancelled"];

pub(crate) struct JobLife<'a> {
    server: &'a mut Server,
    client: Client,
    form: Form,
    idempotency_key: String,
    /// Whether the server died and was started again.
    pub(crate) has_died: bool,
    /// The number of requests that were answered with 500 or 503.
    pub(crate) refused: usize,
}

impl<'a> JobLife<'a> {
    /// The life of a transcription with this form, which must contain a webhook URL.
    pub(crate) fn new(server: &'a mut Server, client: &Client, form: Form, idempotency_key: &str) -> Self {
        let idempotency_key = idempotency_key.to_owned();
        Self { server, client: client.clone(), form, idempotency_key, has_died: false, refused: 0 }
    }

    /// Submits the job, waits for its end, reads and checks it, waits for its webhook and deletes its content. Returns
    /// its id.
    pub(crate) async fn live(&mut self, receiver: &WebhookReceiver) -> String {
        let id = self.submit().await;
        let job = self.finished(&id).await;
        assert_eq!(job["status"], "completed", "{job}");
        self.check(&id, &job).await;
        self.wait_for_webhook(&id, receiver).await;
        assert_eq!(self.submit().await, id, "the same request with the same key");
        let path = format!("/v1/jobs/{id}/content");
        self.answer(200, |client| client.delete(&path)).await;
        id
    }

    /// Asks the server to stop and waits until it has. A fault may end it first.
    pub(crate) async fn stop(&mut self) {
        if self.server.is_running() {
            let status = self.server.terminate().await;
            self.has_died |= status.code().is_none();
        } else {
            self.has_died = true;
            self.server.kill();
        }
    }

    async fn submit(&mut self) -> String {
        let form = self.form.clone();
        let key = self.idempotency_key.clone();
        let call =
            |client: &Client| client.post("/v1/audio/transcriptions").form(&form).idempotency_key(&key);
        self.answer(202, call).await.id()
    }

    async fn finished(&mut self, id: &str) -> Value {
        let path = format!("/v1/jobs/{id}");
        let started = Instant::now();
        loop {
            let job = self.answer(200, |client| client.get(&path)).await.json();
            if job["completed_at"].is_i64() {
                return job;
            }
            pause(started, "the end of the job").await;
        }
    }

    async fn check(&mut self, id: &str, job: &Value) {
        let path = format!("/v1/jobs/{id}/steps");
        let steps = self.answer(200, |client| client.get(&path)).await.json();
        let events = self.events(id).await;
        is_consistent(job, steps["data"].as_array().expect("a list"), &events);
        let segments = events.iter().filter(|event| event.kind == "job.transcript.segment").count();
        let in_result = job["result"]["transcript"]["segments"].as_array().map_or(0, Vec::len);
        assert_eq!(segments, in_result, "each segment is one event of {job}");
        let artifacts = job["result"]["artifacts"].as_array().expect("a list");
        assert!(!artifacts.is_empty(), "{job}");
        for artifact in artifacts {
            self.check_artifact(artifact["id"].as_str().expect("an id")).await;
        }
    }

    async fn check_artifact(&mut self, id: &str) {
        let path = format!("/v1/artifacts/{id}");
        let artifact = self.answer(200, |client| client.get(&path)).await.json();
        let bytes = self.download(id).await.body.len();
        assert_eq!(artifact["bytes"], bytes.to_string(), "{artifact}");
    }

    async fn download(&mut self, id: &str) -> Reply {
        let path = format!("/v1/artifacts/{id}/content");
        let started = Instant::now();
        loop {
            let redirect = self.answer(302, |client| client.get(&path)).await;
            match self.current().try_get_outside_api(redirect.header("location"), &[]).await {
                Ok(reply) if reply.status == 200 => return reply,
                Ok(reply) => assert!(reply.status >= 500, "{reply}"),
                Err(_) => {}
            }
            pause(started, "the download").await;
        }
    }

    async fn events(&mut self, id: &str) -> Vec<Event> {
        let path = format!("/v1/jobs/{id}/events");
        let started = Instant::now();
        loop {
            self.revive().await;
            if let Some(events) = self.complete_stream(&path).await {
                return events;
            }
            pause(started, "the events").await;
        }
    }

    /// All events; `None` if the stream is refused, breaks, or ends before the job does.
    async fn complete_stream(&mut self, path: &str) -> Option<Vec<Event>> {
        let mut stream = match self.current().get(path).open_stream().await {
            Ok(Ok(stream)) => stream,
            Ok(Err(reply)) => {
                self.count_refusal(&reply);
                return None;
            }
            Err(_) => return None,
        };
        let mut events: Vec<Event> = Vec::new();
        while let Some(event) = stream.try_next().await.ok()? {
            events.push(event);
        }
        let is_complete = events.last().is_some_and(|event| TERMINAL.contains(&event.kind.as_str()));
        is_complete.then_some(events)
    }

    async fn wait_for_webhook(&mut self, id: &str, receiver: &WebhookReceiver) {
        let started = Instant::now();
        while event_ids(receiver, id).is_empty() {
            self.revive().await;
            pause(started, "the webhook").await;
        }
    }

    /// Sends the request until the answer has the wanted status.
    async fn answer(&mut self, status: u16, request: impl Fn(&Client) -> Call) -> Reply {
        let started = Instant::now();
        loop {
            self.revive().await;
            let call = request(&self.current()).try_send();
            match tokio::time::timeout(ANSWER_TIMEOUT, call).await {
                Ok(Ok(reply)) if reply.status == status => return reply,
                Ok(Ok(reply)) => self.count_refusal(&reply),
                Ok(Err(_)) | Err(_) => {}
            }
            pause(started, "an answer").await;
        }
    }

    /// A server whose storage fails may refuse a request, and may give no other wrong answer.
    fn count_refusal(&mut self, reply: &Reply) {
        let code = reply.error().code;
        let expected =
            [(500, "internal_error"), (503, "storage_unavailable"), (409, "idempotency_key_in_use")];
        assert!(expected.contains(&(reply.status, code.as_str())), "{reply}");
        self.refused += 1;
    }

    /// The client at the current address of the server.
    fn current(&self) -> Client {
        self.client.at(&self.server.base())
    }

    /// Starts the server again without faults if it has died.
    async fn revive(&mut self) {
        if self.server.is_running() {
            return;
        }
        assert!(!self.has_died, "the server died again, without a fault:\n{}", self.server.log());
        self.has_died = true;
        self.server.kill();
        data_folder::is_whole(&self.server.data());
        self.server.unload_fault_layer();
        self.server.restart().await;
    }
}

/// The ids of the events that the receiver got for the job.
pub(crate) fn event_ids(receiver: &WebhookReceiver, job: &str) -> BTreeSet<String> {
    let received = receiver.received().into_iter().filter(|received| received.job() == job);
    received.map(|received| received.id).collect()
}

async fn pause(started: Instant, what: &str) {
    assert!(started.elapsed() < DEADLINE, "gave up waiting for {what}");
    tokio::time::sleep(PAUSE).await;
}
