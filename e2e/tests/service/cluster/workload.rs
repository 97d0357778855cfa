//! Small jobs of every kind, each sent to random nodes until one accepts it.

use std::sync::Arc;
use std::time::Duration;

use auris_e2e::requests::{analysis, transcription_form};
use auris_e2e::{Client, Form, SeededRandom};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};

/// How long a caller waits for an answer before it tries another node.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// What is sent, and to which nodes.
#[derive(Clone)]
pub(crate) struct Workload {
    form: Form,
    /// The webhook URL of the jobs.
    webhook: Option<String>,
    client: Client,
    /// The current addresses of the nodes.
    nodes: watch::Receiver<Vec<String>>,
}

impl Workload {
    pub(crate) async fn new(
        client: &Client,
        nodes: watch::Receiver<Vec<String>>,
        webhook: Option<String>,
    ) -> Self {
        let form = transcription_form(client).await.text("async", "true");
        Self { form, webhook, client: client.clone(), nodes }
    }

    /// Sends the requests concurrently, each after acquiring a permit. Returns the ids of the jobs.
    pub(crate) async fn send_all(self, count: usize, at_once: usize, permits: Arc<Semaphore>) -> Vec<String> {
        let workload = Arc::new(self);
        let mut ids = Vec::new();
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..count {
            if tasks.len() >= at_once
                && let Some(sent) = tasks.join_next().await
            {
                ids.push(sent.expect("every request is accepted"));
            }
            permits.acquire().await.expect("the semaphore is not closed").forget();
            let workload = Arc::clone(&workload);
            tasks.spawn(async move { workload.send(number).await });
        }
        while let Some(sent) = tasks.join_next().await {
            ids.push(sent.expect("every request is accepted"));
        }
        ids
    }

    /// Sends one request with its own idempotency key to random nodes until one answers with 202.
    async fn send(&self, number: usize) -> String {
        let mut random = SeededRandom::numbered(number as u64);
        loop {
            let nodes: Vec<String> = self.nodes.borrow().clone();
            let client = self.client.at(&nodes[random.below(nodes.len())]);
            let call = self.call(&client, number).idempotency_key(&format!("cluster-{number}"));
            match tokio::time::timeout(ANSWER_TIMEOUT, call.try_send()).await {
                Ok(Ok(reply)) if reply.status == 202 => return reply.id(),
                // The first attempt may still be running on another node, or the storage or the node is down.
                Ok(Ok(reply)) => assert!([409, 503].contains(&reply.status), "{reply}"),
                Ok(Err(_)) | Err(_) => {}
            }
            tokio::time::sleep(Duration::from_millis(50 + random.below(200) as u64)).await;
        }
    }

    fn call(&self, client: &Client, number: usize) -> auris_e2e::Call {
        match number % 3 {
            0 => {
                let form = match &self.webhook {
                    Some(url) => self.form.clone().text("webhook_url", url),
                    None => self.form.clone(),
                };
                client.post("/v1/audio/transcriptions").form(&form)
            }
            1 => client.post("/v1/audio/analyses").json(&analysis()),
            _ => client.post("/v1/audio/analyses").json(&three_steps()),
        }
    }
}

fn three_steps() -> Value {
    json!({
        "transcript": {"text": "Anna met Boris. fake:delay=50"},
        "processing": {"summary": {}, "topics": {}, "sentiment": {}, "failure_policy": "continue_independent"},
    })
}
