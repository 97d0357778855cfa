//! Webhook endpoints in the API, and the body of a delivery.

use serde::Serialize;

use super::{JsonText, job_without_content};
use crate::event::EventType;
use crate::id::EndpointId;
use crate::job::Job;
use crate::time::Timestamp;
use crate::webhook::{Endpoint, EndpointStatus};

#[derive(Serialize)]
pub(super) struct EndpointWire<'a> {
    id: &'a EndpointId,
    object: &'static str,
    url: &'a str,
    status: EndpointStatus,
    created_at: Timestamp,
    secret: Option<&'a str>,
}

#[derive(Serialize)]
struct DeliveryWire<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    timestamp: String,
    data: JsonText,
}

#[derive(Serialize)]
struct TestWire {
    object: &'static str,
    message: &'static str,
}

/// The type of a test message, which no event has.
const TEST: &str = "webhook.test";

/// The endpoint. The secret is shown only in the response to its creation.
pub fn endpoint(endpoint: &Endpoint, secret: Option<&str>) -> JsonText {
    JsonText::of(&EndpointWire::new(endpoint, secret))
}

/// The body of a delivery. It is written once, with the job's terminal state, and is the same on every attempt.
pub fn delivery(job: &Job, event: EventType, now: Timestamp) -> JsonText {
    JsonText::of(&DeliveryWire {
        kind: event.as_str(),
        timestamp: now.to_rfc3339(),
        data: job_without_content(job),
    })
}

/// The body of a test message.
pub fn test_message(now: Timestamp) -> JsonText {
    let data = TestWire { object: TEST, message: "This is a test; no job has ended." };
    JsonText::of(&DeliveryWire { kind: TEST, timestamp: now.to_rfc3339(), data: JsonText::of(&data) })
}

impl<'a> EndpointWire<'a> {
    pub(super) fn new(endpoint: &'a Endpoint, secret: Option<&'a str>) -> Self {
        Self {
            id: &endpoint.id,
            object: "webhook_endpoint",
            url: &endpoint.url,
            status: endpoint.status,
            created_at: endpoint.created_at,
            secret,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_message_is_written_like_a_delivery() {
        let expected = concat!(
            r#"{"type":"webhook.test","timestamp":"1970-01-01T00:00:00Z","data":"#,
            r#"{"object":"webhook.test","message":"This is a test; no job has ended."}}"#
        );
        assert_eq!(test_message(Timestamp(0)).as_str(), expected);
    }
}
