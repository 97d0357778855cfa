//! The slowest rate at which a request body may arrive, so that a client that sends almost nothing does not hold a
//! connection, memory or a file for hours.

use std::fmt;
use std::time::Duration;

use axum::http::HeaderMap;

use crate::content_type::has_content_type;

/// How long a body may take in addition to the time that its bytes take at the minimum rate. Long enough for a
/// connection that stalls once.
const GRACE: Duration = Duration::from_secs(30);
/// JSON is kept in memory while it arrives, so it must arrive faster than a form.
const JSON: MinimumRate = MinimumRate { kib_per_second: 32 };
/// A form is written to disk. It often comes from a phone, whose line may be slow.
const FORM: MinimumRate = MinimumRate { kib_per_second: 4 };

/// The minimum rate of one body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MinimumRate {
    kib_per_second: u64,
}

impl MinimumRate {
    /// The minimum rate of a request with these headers. Every endpoint accepts only one content type.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        if has_content_type(headers, "multipart/form-data") { FORM } else { JSON }
    }

    /// How long a client that has sent this number of bytes may have kept us waiting.
    pub(super) fn allowed_time(self, bytes: u64) -> Duration {
        GRACE + Duration::from_millis(bytes.saturating_mul(1000) / (self.kib_per_second * 1024))
    }
}

impl fmt::Display for MinimumRate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} KiB per second", self.kib_per_second)
    }
}
