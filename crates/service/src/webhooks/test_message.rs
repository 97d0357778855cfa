//! A test message: the author of a receiver sees what is sent and what comes back.

use std::time::Instant;

use auris_domain::id::EventId;
use auris_domain::time::Clock;
use serde_json::json;

use super::client::{GuardedClient, Message, Reply, SendError};
use super::sign::{SigningSecret, signature};

/// The message that was sent, and what came back.
#[derive(Debug, Clone)]
pub struct TestOutcome {
    pub message: Message,
    pub duration_ms: u64,
    pub reply: Result<Reply, SendError>,
}

impl TestOutcome {
    pub fn succeeded(&self) -> bool {
        self.reply.as_ref().is_ok_and(Reply::is_success)
    }
}

/// Sends one message of type `webhook.test` and waits for the response.
pub async fn send_test_message(
    client: &GuardedClient,
    url: &str,
    secrets: &[SigningSecret],
    clock: &Clock,
) -> TestOutcome {
    let now = clock.now();
    let id = EventId::generate(now).to_string();
    let timestamp = now.timestamp().0;
    let body = json!({
        "type": "webhook.test",
        "timestamp": now.timestamp().to_rfc3339(),
        "data": {"object": "webhook.test", "message": "This is a test; no job has ended."},
    })
    .to_string();
    let signature = signature(secrets, &id, timestamp, &body);
    let message = Message { url: url.to_owned(), id, timestamp, signature, body: body.into() };
    let started = Instant::now();
    let reply = client.send(&message).await;
    TestOutcome { message, duration_ms: started.elapsed().as_millis() as u64, reply }
}
