//! One delivery: signed, sent, judged by its answer.

use auris_domain::time::Millis;
use auris_domain::webhook::{retry_after_seconds, retry_delay_ms};
use auris_store::{AttemptRecord, Delivery, Verdict};

use super::client::{GuardedClient, Message, Reply, SendError};
use super::lanes::Finished;
use super::sign::{SigningSecret, signature};
use crate::Service;
use crate::metrics;

const GONE: u16 = 410;
/// Statuses whose `Retry-After` is honoured.
const BUSY: [u16; 2] = [429, 503];

/// What a try came to, for the record and for the lane.
pub(super) struct Tried {
    pub(super) record: AttemptRecord,
    pub(super) finished: Finished,
}

impl Service {
    /// Sends a delivery once.
    pub(super) async fn try_delivery(
        &self,
        client: &GuardedClient,
        secrets: &[SigningSecret],
        mut delivery: Delivery,
    ) -> Tried {
        let started_at = self.clock.now();
        let message = signed(&mut delivery, secrets, started_at);
        let beginning = std::time::Instant::now();
        let sent = client.send(&message).await;
        // Measured apart from the clock, which a test may hold still.
        let duration_ms = beginning.elapsed().as_millis() as i64;
        let now = self.clock.now();
        let asked = sent.as_ref().ok().and_then(|reply| asked_seconds(reply, now));
        let verdict = verdict(&delivery, &sent, asked, now);
        metrics::webhook_sent(outcome_of(verdict), duration_ms as f64 / 1000.0);
        log(&delivery, &sent, verdict);
        let (status, error, answer) = match sent {
            Ok(reply) => (Some(reply.status), None, Some(reply.answer)),
            Err(error) => (None, Some(error.to_string()), None),
        };
        let finished = match verdict {
            Verdict::Delivered => Finished::Succeeded { duration_ms },
            Verdict::Retry(_) | Verdict::GivenUp | Verdict::Gone => {
                Finished::Failed { rest_until: asked.map(|seconds| now.plus_ms(seconds * 1000)) }
            }
        };
        let record = AttemptRecord {
            delivery: delivery.id,
            claim: delivery.claim,
            endpoint: delivery.endpoint_id,
            started_at,
            duration_ms,
            status,
            error,
            answer,
            verdict,
        };
        Tried { record, finished }
    }
}

/// The message with the signature of this moment: receivers refuse old ones. It takes the address and the body along.
fn signed(delivery: &mut Delivery, secrets: &[SigningSecret], now: Millis) -> Message {
    let (id, timestamp) = (delivery.event_id.to_string(), now.timestamp().0);
    Message {
        url: std::mem::take(&mut delivery.url),
        signature: signature(secrets, &id, timestamp, &delivery.body),
        id,
        timestamp,
        body: std::mem::take(&mut delivery.body).into(),
    }
}

fn asked_seconds(reply: &Reply, now: Millis) -> Option<i64> {
    let text = reply.retry_after.as_deref().filter(|_| BUSY.contains(&reply.status))?;
    retry_after_seconds(text, now.timestamp())
}

fn verdict(delivery: &Delivery, sent: &Result<Reply, SendError>, asked: Option<i64>, now: Millis) -> Verdict {
    match sent {
        Ok(reply) if (200..300).contains(&reply.status) => Verdict::Delivered,
        Ok(reply) if reply.status == GONE => Verdict::Gone,
        Ok(_) | Err(_) => {
            let tries = usize::try_from(delivery.tries).unwrap_or(0) + 1;
            match retry_delay_ms(tries, rand::random(), asked) {
                Some(delay) => Verdict::Retry(now.plus_ms(delay)),
                None => Verdict::GivenUp,
            }
        }
    }
}

fn outcome_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Delivered => "delivered",
        Verdict::Retry(_) => "retried",
        Verdict::GivenUp => "given_up",
        Verdict::Gone => "gone",
    }
}

fn log(delivery: &Delivery, sent: &Result<Reply, SendError>, verdict: Verdict) {
    let outcome = outcome_of(verdict);
    match sent {
        Ok(reply) => {
            tracing::debug!(delivery.id = %delivery.id, status = reply.status, outcome, "a webhook was sent");
        }
        Err(error) => {
            tracing::debug!(delivery.id = %delivery.id, %error, outcome, "a webhook was not sent");
        }
    }
    if matches!(verdict, Verdict::GivenUp) {
        tracing::warn!(delivery.id = %delivery.id, job.id = %delivery.job_id, "a webhook was given up");
    }
}
