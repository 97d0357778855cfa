//! Webhook endpoints and deliveries: their states, their body and when a failed one is tried again.

use serde_json::{Value, json};

use crate::event::EventType;
use crate::id::{EndpointId, ProjectId};
use crate::job::Job;
use crate::time::Timestamp;

/// Whether an endpoint still gets deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointStatus {
    Enabled,
    Disabled,
}

impl EndpointStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Enabled, Self::Disabled].into_iter().find(|status| status.as_str() == text)
    }
}

/// A registered address that hears of every terminal job of its project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub id: EndpointId,
    pub project_id: ProjectId,
    pub url: String,
    pub status: EndpointStatus,
    pub created_at: Timestamp,
}

impl Endpoint {
    /// The endpoint as the interface shows it; the secret only in the answer that made it.
    pub fn wire(&self, secret: Option<&str>) -> Value {
        json!({
            "id": self.id,
            "object": "webhook_endpoint",
            "url": self.url,
            "status": self.status.as_str(),
            "created_at": self.created_at,
            "secret": secret,
        })
    }
}

/// An endpoint that has had nothing but failures for this long is disabled.
pub const FAILING_DISABLES_MS: i64 = 5 * 86_400_000;

/// For this long after a rotation the previous secret signs too.
pub const ROTATION_OVERLAP_MS: i64 = 86_400_000;

/// How much of a receiver's answer is kept.
pub const ANSWER_BYTES: usize = 1024;

/// What deliveries wait behind each other in: one lane a receiver, so that one which is slow holds up no other. A job's own
/// address has no endpoint; there the receiver is known by its origin, and each project has a lane of its own to it.
pub fn lane(endpoint: Option<&EndpointId>, project: &ProjectId, url: &str) -> String {
    match endpoint {
        Some(endpoint) => endpoint.to_string(),
        None => {
            let origin = url::Url::parse(url).map(|url| url.origin().ascii_serialization());
            format!("{project} {}", origin.as_deref().unwrap_or(url))
        }
    }
}

/// Seconds to wait after each failed try; after the last one the delivery is given up.
pub const RETRY_SECONDS: [i64; 9] =
    [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600];

/// Milliseconds until the next try after `tries` failed ones, or `None` when there is none.
/// `jitter` in 0..1 spreads retries over a tenth of the wait; a receiver's own `Retry-After` can only lengthen it.
pub fn retry_delay_ms(tries: usize, jitter: f64, retry_after_seconds: Option<i64>) -> Option<i64> {
    let base = *RETRY_SECONDS.get(tries.checked_sub(1)?)? * 1000;
    let spread = (base as f64 * 0.1 * jitter.clamp(0.0, 1.0)) as i64;
    let asked = retry_after_seconds.unwrap_or(0).clamp(0, RETRY_SECONDS[8]) * 1000;
    Some((base + spread).max(asked))
}

/// The seconds that a `Retry-After` asks for: a number, or a date of HTTP.
pub fn retry_after_seconds(text: &str, now: Timestamp) -> Option<i64> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.parse().unwrap_or(i64::MAX));
    }
    let moment = jiff::fmt::rfc2822::parse(text).ok()?;
    Some(moment.timestamp().as_second().saturating_sub(now.0).max(0))
}

/// The bytes of a delivery: written once with the terminal state, the same on every try.
pub fn delivery_body(job: &Job, event: EventType, now: Timestamp) -> String {
    json!({"type": event.as_str(), "timestamp": now.to_rfc3339(), "data": job.wire_for_webhook()}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Millis;

    #[test]
    fn the_first_retry_comes_after_five_seconds_and_the_ninth_is_the_last() {
        assert_eq!(retry_delay_ms(1, 0.0, None), Some(5_000));
        assert_eq!(retry_delay_ms(9, 0.0, None), Some(24 * 3600 * 1000));
        assert_eq!(retry_delay_ms(10, 0.0, None), None);
        assert_eq!(retry_delay_ms(0, 0.0, None), None);
    }

    #[test]
    fn retry_after_lengthens_a_wait_and_never_shortens_it() {
        assert_eq!(retry_delay_ms(1, 0.0, Some(60)), Some(60_000));
        assert_eq!(retry_delay_ms(2, 0.0, Some(1)), Some(300_000));
    }

    #[test]
    fn retry_after_is_a_number_or_a_date() {
        let now = Timestamp(784_111_777);
        assert_eq!(retry_after_seconds("120", now), Some(120));
        assert_eq!(retry_after_seconds("99999999999999999999", now), Some(i64::MAX));
        assert_eq!(retry_after_seconds("Sun, 06 Nov 1994 08:50:37 GMT", now), Some(60));
        assert_eq!(retry_after_seconds("Sun, 06 Nov 1994 08:49:00 GMT", now), Some(0), "that is past");
        for text in ["", "-5", "1.5", "soon", "Sun, 06 Nov 1994"] {
            assert_eq!(retry_after_seconds(text, now), None, "{text}");
        }
    }

    #[test]
    fn a_receiver_has_one_lane_a_project() {
        let (one, two) = (ProjectId::generate(Millis(0)), ProjectId::generate(Millis(0)));
        let lane_of = |project, url| lane(None, project, url);
        assert_eq!(lane_of(&one, "https://a.example/x?y"), lane_of(&one, "https://A.example:443/z"));
        assert_ne!(lane_of(&one, "https://a.example/"), lane_of(&one, "http://a.example/"));
        assert_ne!(lane_of(&one, "https://a.example/"), lane_of(&two, "https://a.example/"));
        let endpoint = EndpointId::generate(Millis(0));
        assert_eq!(lane(Some(&endpoint), &one, "https://a.example/"), endpoint.to_string());
    }

    #[test]
    fn jitter_adds_at_most_a_tenth() {
        assert_eq!(retry_delay_ms(2, 1.0, None), Some(330_000));
    }
}
