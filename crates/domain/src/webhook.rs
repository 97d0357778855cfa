//! Webhook endpoints, the receivers of deliveries, and when a failed delivery is retried.

use std::time::UNIX_EPOCH;

use serde::Serialize;
use strum::{EnumString, IntoStaticStr};

use crate::id::{EndpointId, ProjectId};
use crate::time::Timestamp;

/// Whether deliveries are sent to an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum EndpointStatus {
    Enabled,
    Disabled,
}

impl EndpointStatus {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A registered address that is notified of every ended job of its project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub id: EndpointId,
    pub project_id: ProjectId,
    pub url: String,
    pub status: EndpointStatus,
    pub created_at: Timestamp,
}

/// An endpoint is disabled after all of its deliveries have failed for this long.
pub const FAILING_DISABLES_MS: i64 = 5 * 86_400_000;

/// How long deliveries are also signed with the previous secret after a rotation.
pub const ROTATION_OVERLAP_MS: i64 = 86_400_000;

/// Maximum number of bytes of a receiver's response that are stored.
pub const ANSWER_BYTES: usize = 1024;

/// The receiver of a delivery. Deliveries to one receiver wait for each other, so that a slow receiver does not delay
/// others. A job's `webhook_url` has no endpoint: its receiver is the project and the origin of the URL.
pub fn receiver(endpoint: Option<&EndpointId>, project: &ProjectId, url: &str) -> String {
    match endpoint {
        Some(endpoint) => endpoint.to_string(),
        None => {
            let origin = url::Url::parse(url).map(|url| url.origin().ascii_serialization());
            format!("{project} {}", origin.as_deref().unwrap_or(url))
        }
    }
}

/// Seconds to wait after each failed attempt. If the attempt after the last wait fails, the delivery has failed.
pub const RETRY_SECONDS: [i64; 9] =
    [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600];

/// Milliseconds until the next attempt after `attempts` failed ones, or `None` if there is no further attempt.
/// `jitter`, from 0 to 1, adds up to a tenth of the delay. A `Retry-After` of the receiver can only lengthen the delay.
pub fn retry_delay_ms(attempts: usize, jitter: f64, retry_after_seconds: Option<i64>) -> Option<i64> {
    let base = *RETRY_SECONDS.get(attempts.checked_sub(1)?)? * 1000;
    let spread = (base as f64 * 0.1 * jitter.clamp(0.0, 1.0)) as i64;
    let asked = retry_after_seconds.unwrap_or(0).clamp(0, RETRY_SECONDS[8]) * 1000;
    Some((base + spread).max(asked))
}

/// The seconds that a `Retry-After` header asks for: a number, or an HTTP date.
pub fn retry_after_seconds(text: &str, now: Timestamp) -> Option<i64> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.parse().unwrap_or(i64::MAX));
    }
    let moment = httpdate::parse_http_date(text).ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((moment.as_secs() as i64).saturating_sub(now.0).max(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Millis;

    #[test]
    fn the_first_retry_is_after_five_seconds_and_the_ninth_is_the_last() {
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
        assert_eq!(retry_after_seconds("Sun, 06 Nov 1994 08:49:00 GMT", now), Some(0), "a date in the past");
        for text in ["", "-5", "1.5", "soon", "Sun, 06 Nov 1994"] {
            assert_eq!(retry_after_seconds(text, now), None, "{text}");
        }
    }

    #[test]
    fn a_receiver_is_an_endpoint_or_an_origin_of_a_project() {
        let one = ProjectId::generate(Millis(0));
        let two = ProjectId::generate(Millis(0));
        let receiver_of = |project, url| receiver(None, project, url);
        assert_eq!(receiver_of(&one, "https://a.example/x?y"), receiver_of(&one, "https://A.example:443/z"));
        assert_ne!(receiver_of(&one, "https://a.example/"), receiver_of(&one, "http://a.example/"));
        assert_ne!(receiver_of(&one, "https://a.example/"), receiver_of(&two, "https://a.example/"));
        let endpoint = EndpointId::generate(Millis(0));
        assert_eq!(receiver(Some(&endpoint), &one, "https://a.example/"), endpoint.to_string());
    }

    #[test]
    fn jitter_adds_at_most_a_tenth() {
        assert_eq!(retry_delay_ms(2, 1.0, None), Some(330_000));
    }
}
