//! A trial: a signed message that stands for no job, so that a receiver's author sees what comes and what is answered.

use std::time::Instant;

use auris_domain::id::EventId;
use auris_domain::time::Clock;
use serde_json::json;

use super::client::{GuardedClient, Message, Reply, SendError};
use super::sign::{SigningSecret, signature};

/// What came of it.
#[derive(Debug, Clone)]
pub struct Trial {
    pub message: Message,
    pub duration_ms: u64,
    pub outcome: Result<Reply, SendError>,
}

impl Trial {
    pub fn succeeded(&self) -> bool {
        self.outcome.as_ref().is_ok_and(|reply| (200..300).contains(&reply.status))
    }
}

/// Sends one message of type `webhook.test`.
pub async fn try_out(client: &GuardedClient, url: &str, secrets: &[SigningSecret], clock: &Clock) -> Trial {
    let now = clock.now();
    let (id, timestamp) = (EventId::generate(now).to_string(), now.timestamp().0);
    let body = json!({
        "type": "webhook.test",
        "timestamp": now.timestamp().to_rfc3339(),
        "data": {"object": "webhook.test", "message": "This is a test; no job has ended."},
    })
    .to_string();
    let signature = signature(secrets, &id, timestamp, &body);
    let message = Message { url: url.to_owned(), id, timestamp, signature, body: body.into() };
    let beginning = Instant::now();
    let outcome = client.send(&message).await;
    Trial { message, duration_ms: beginning.elapsed().as_millis() as u64, outcome }
}
