//! Endpoints, deliveries, attempts and test results as they are shown to an operator.

use auris_domain::id::{DeliveryId, EndpointId, EventId, JobId};
use auris_domain::time::{Millis, Timestamp};
use auris_domain::webhook::EndpointStatus;
use auris_store::{Attempt, Delivery, DeliveryStatus, EndpointDetails};
use serde::{Serialize, Serializer};

use crate::webhooks::TestOutcome;

/// An endpoint with its health.
#[derive(Debug, Clone, Serialize)]
pub struct EndpointRecord {
    pub id: EndpointId,
    pub url: String,
    #[serde(serialize_with = "endpoint_status")]
    pub status: EndpointStatus,
    pub created_at: Timestamp,
    pub failing_since: Option<Timestamp>,
    pub disabled_because: Option<String>,
    /// Until when the previous signing secret is used too.
    pub previous_secret_until: Option<Timestamp>,
}

/// A delivery with some or all of its attempts.
#[derive(Debug, Clone, Serialize)]
pub struct DeliveryRecord {
    pub id: DeliveryId,
    pub event_id: EventId,
    pub job_id: JobId,
    pub endpoint_id: Option<EndpointId>,
    pub url: String,
    #[serde(serialize_with = "delivery_status")]
    pub status: DeliveryStatus,
    pub attempts: i64,
    pub next_attempt_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub body: String,
    pub last_attempts: Vec<AttemptDetails>,
    #[serde(skip)]
    pub next: NextAttempt,
}

/// When a delivery is attempted next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextAttempt {
    /// It was delivered or has failed for good.
    Never,
    BeingSent,
    Now,
    At(Timestamp),
}

/// One attempt of a delivery.
#[derive(Debug, Clone, Serialize)]
pub struct AttemptDetails {
    pub number: i64,
    pub started_at: Timestamp,
    pub milliseconds: i64,
    pub status: Option<i64>,
    pub error: Option<String>,
    /// The start of the response body.
    pub answer: Option<String>,
}

/// What a receiver did with a test message.
#[derive(Debug, Clone, Serialize)]
pub struct TestResult {
    pub url: String,
    pub webhook_id: String,
    pub body: String,
    pub status: Option<u16>,
    pub milliseconds: u64,
    pub error: Option<String>,
    /// The start of the response body.
    pub answer: Option<String>,
    /// Whether the status was 2xx.
    pub success: bool,
}

impl From<EndpointDetails> for EndpointRecord {
    fn from(details: EndpointDetails) -> Self {
        Self {
            id: details.endpoint.id,
            url: details.endpoint.url,
            status: details.endpoint.status,
            created_at: details.endpoint.created_at,
            failing_since: details.failing_since.map(Millis::timestamp),
            disabled_because: details.disabled_because,
            previous_secret_until: details.previous_until.map(Millis::timestamp),
        }
    }
}

impl DeliveryRecord {
    pub(super) fn new(delivery: Delivery, attempts: Vec<Attempt>, now: Millis) -> Self {
        Self {
            next: NextAttempt::of(&delivery, now),
            next_attempt_at: next_attempt_at(&delivery).map(Millis::timestamp),
            id: delivery.id,
            event_id: delivery.event_id,
            job_id: delivery.job_id,
            endpoint_id: delivery.endpoint_id,
            url: delivery.url,
            status: delivery.status,
            attempts: delivery.attempts,
            created_at: delivery.created_at,
            body: delivery.body,
            last_attempts: attempts.into_iter().map(AttemptDetails::from).collect(),
        }
    }
}

impl NextAttempt {
    fn of(delivery: &Delivery, now: Millis) -> Self {
        match next_attempt_at(delivery) {
            None => Self::Never,
            Some(_) if delivery.lease_until.is_some_and(|until| until > now) => Self::BeingSent,
            Some(at) if at <= now => Self::Now,
            Some(at) => Self::At(at.timestamp()),
        }
    }
}

fn next_attempt_at(delivery: &Delivery) -> Option<Millis> {
    match delivery.status {
        DeliveryStatus::Pending => Some(delivery.next_attempt_at),
        DeliveryStatus::Delivered | DeliveryStatus::Failed => None,
    }
}

impl From<Attempt> for AttemptDetails {
    fn from(attempt: Attempt) -> Self {
        Self {
            number: attempt.number,
            started_at: attempt.started_at.timestamp(),
            milliseconds: attempt.duration_ms,
            status: attempt.status,
            error: attempt.error,
            answer: attempt.answer,
        }
    }
}

impl From<TestOutcome> for TestResult {
    fn from(test: TestOutcome) -> Self {
        let success = test.succeeded();
        let (status, answer, error) = match test.response {
            Ok(response) => (Some(response.status), Some(response.answer), None),
            Err(error) => (None, None, Some(error.to_string())),
        };
        Self {
            url: test.request.url,
            webhook_id: test.request.id,
            body: String::from_utf8_lossy(&test.request.body).into_owned(),
            status,
            milliseconds: test.duration_ms,
            error,
            answer,
            success,
        }
    }
}

fn endpoint_status<S: Serializer>(status: &EndpointStatus, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.as_str())
}

fn delivery_status<S: Serializer>(status: &DeliveryStatus, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.as_str())
}
