//! A token bucket: each request takes one token, and an empty bucket refills within a minute.
//!
//! Written by hand: in libraries, the limit of a bucket is fixed when it is created, but an operator can change the limit
//! of a project at any time. They also take a token whenever they check a bucket, but a request takes a token of its key
//! and one of its project, or none.

use auris_domain::time::Uptime;

const MINUTE_MS: f64 = 60_000.0;

/// The values of the `x-ratelimit-*` headers: those of the key or of the project, whichever has fewer requests left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateState {
    pub limit: u32,
    pub remaining: u32,
    /// Milliseconds until the full limit is available again.
    pub reset_ms: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket {
    pub(super) tokens: f64,
    at: Uptime,
}

impl Bucket {
    pub(super) fn full(limit: u32, now: Uptime) -> Self {
        Self { tokens: f64::from(limit), at: now }
    }

    /// The bucket with the tokens that it gained since it was last used.
    pub(super) fn refilled(self, limit: u32, now: Uptime) -> Self {
        let limit = f64::from(limit);
        let gained = now.since(self.at) as f64 * limit / MINUTE_MS;
        Self { tokens: (self.tokens + gained).min(limit), at: now }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tokens < 1.0
    }

    pub(super) fn state(&self, limit: u32) -> RateState {
        let missing = f64::from(limit) - self.tokens;
        let reset_ms = (missing * MINUTE_MS / f64::from(limit)).ceil() as u64;
        RateState { limit, remaining: self.tokens.floor() as u32, reset_ms }
    }

    /// Whole seconds until one more request is allowed.
    pub(super) fn seconds_to_next(&self, limit: u32) -> u32 {
        ((1.0 - self.tokens) * MINUTE_MS / f64::from(limit) / 1000.0).ceil().max(1.0) as u32
    }
}
