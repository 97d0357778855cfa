//! One attempt of a delivery: signed, sent, and judged by the response.

use std::time::Instant;

use auris_domain::time::Millis;
use auris_domain::webhook::{retry_after_seconds, retry_delay_ms};
use auris_store::{AttemptRecord, Delivery, Verdict};

use super::client::{GuardedClient, SendError, SignedRequest, WebhookResponse};
use super::receivers::Finished;
use super::sign::{SigningSecret, signature};
use crate::{Service, metrics};

const GONE: u16 = 410;
/// Statuses with which a receiver can ask for a pause, by `Retry-After`.
const BUSY: [u16; 2] = [429, 503];

/// The outcome of an attempt: what is recorded, and what it says about the receiver.
pub(super) struct Attempted {
    pub(super) record: AttemptRecord,
    pub(super) finished: Finished,
}

/// What came back, and when.
struct Response {
    sent: Result<WebhookResponse, SendError>,
    started_at: Millis,
    ended_at: Millis,
    duration_ms: i64,
}

impl Service {
    /// Sends a delivery once.
    pub(super) async fn attempt_delivery(
        &self,
        client: &GuardedClient,
        secrets: &[SigningSecret],
        mut delivery: Delivery,
    ) -> Attempted {
        let started_at = self.clock().now();
        let request = signed(&mut delivery, secrets, started_at);
        // Measured apart from the clock, which a test may hold still.
        let timer = Instant::now();
        let sent = client.send(&request).await;
        let duration_ms = timer.elapsed().as_millis() as i64;
        let response = Response { sent, started_at, ended_at: self.clock().now(), duration_ms };
        let verdict = response.verdict(&delivery);
        metrics::webhook_sent(outcome_of(verdict), duration_ms as f64 / 1000.0);
        log(&delivery, &response.sent, verdict);
        Attempted { finished: response.finished(verdict), record: response.record(delivery, verdict) }
    }
}

/// The request, signed with the current time because receivers refuse old requests. Takes the URL and body out of the
/// delivery.
fn signed(delivery: &mut Delivery, secrets: &[SigningSecret], now: Millis) -> SignedRequest {
    let id = delivery.event_id.to_string();
    let timestamp = now.timestamp().0;
    SignedRequest {
        url: std::mem::take(&mut delivery.url),
        signature: signature(secrets, &id, timestamp, &delivery.body),
        id,
        timestamp,
        body: std::mem::take(&mut delivery.body).into(),
    }
}

impl Response {
    fn verdict(&self, delivery: &Delivery) -> Verdict {
        match &self.sent {
            Ok(response) if response.is_success() => Verdict::Delivered,
            Ok(response) if response.status == GONE => Verdict::Gone,
            Ok(_) | Err(_) => {
                let attempts = usize::try_from(delivery.attempts_since_restart).unwrap_or(0) + 1;
                match retry_delay_ms(attempts, rand::random(), self.requested_pause_seconds()) {
                    Some(delay) => Verdict::Retry(self.ended_at.plus_ms(delay)),
                    None => Verdict::GivenUp,
                }
            }
        }
    }

    /// How long a busy receiver asks not to be sent anything.
    fn requested_pause_seconds(&self) -> Option<i64> {
        let response = self.sent.as_ref().ok().filter(|response| BUSY.contains(&response.status))?;
        retry_after_seconds(response.retry_after.as_deref()?, self.ended_at.timestamp())
    }

    fn finished(&self, verdict: Verdict) -> Finished {
        match verdict {
            Verdict::Delivered => Finished::Succeeded { duration_ms: self.duration_ms },
            Verdict::Retry(_) | Verdict::GivenUp | Verdict::Gone => {
                let pause = self.requested_pause_seconds();
                Finished::Failed { pause_ms: pause.map(|seconds| seconds.saturating_mul(1000)) }
            }
        }
    }

    fn record(self, delivery: Delivery, verdict: Verdict) -> AttemptRecord {
        let (status, error, answer) = match self.sent {
            Ok(response) => (Some(response.status), None, Some(response.answer)),
            Err(error) => (None, Some(error.to_string()), None),
        };
        AttemptRecord {
            delivery: delivery.id,
            claim: delivery.claim,
            endpoint: delivery.endpoint_id,
            started_at: self.started_at,
            duration_ms: self.duration_ms,
            status,
            error,
            answer,
            verdict,
        }
    }
}

/// The label of the metrics.
fn outcome_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Delivered => "delivered",
        Verdict::Retry(_) => "retried",
        Verdict::GivenUp => "given_up",
        Verdict::Gone => "gone",
    }
}

fn log(delivery: &Delivery, sent: &Result<WebhookResponse, SendError>, verdict: Verdict) {
    let outcome = outcome_of(verdict);
    match sent {
        Ok(response) => {
            tracing::debug!(delivery.id = %delivery.id, status = response.status, outcome, "sent a webhook");
        }
        Err(error) => tracing::debug!(delivery.id = %delivery.id, %error, outcome, "cannot send a webhook"),
    }
    if matches!(verdict, Verdict::GivenUp) {
        tracing::warn!(delivery.id = %delivery.id, job.id = %delivery.job_id, "gave up a webhook after its last attempt");
    }
}
