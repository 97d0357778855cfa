//! A test message: the author of a receiver sees what is sent and what comes back.

use std::time::Instant;

use auris_domain::id::EventId;
use auris_domain::time::Clock;
use auris_domain::wire;

use super::client::{GuardedClient, SendError, SignedRequest, WebhookResponse};
use super::sign::{SigningSecret, signature};

/// The request that was sent, and what came back.
#[derive(Debug, Clone)]
pub struct TestOutcome {
    pub request: SignedRequest,
    pub duration_ms: u64,
    pub response: Result<WebhookResponse, SendError>,
}

impl TestOutcome {
    pub fn succeeded(&self) -> bool {
        self.response.as_ref().is_ok_and(WebhookResponse::is_success)
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
    let body = wire::test_message(now.timestamp()).into_string();
    let signature = signature(secrets, &id, timestamp, &body);
    let request = SignedRequest { url: url.to_owned(), id, timestamp, signature, body: body.into() };
    let started = Instant::now();
    let response = client.send(&request).await;
    TestOutcome { request, duration_ms: started.elapsed().as_millis() as u64, response }
}
