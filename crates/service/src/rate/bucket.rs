//! A bucket of requests: each takes one out, and over a minute it fills up again.

use auris_domain::time::Millis;

use super::RateState;

pub(super) const MINUTE_MS: f64 = 60_000.0;

#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket {
    pub(super) tokens: f64,
    pub(super) at: Millis,
}

impl Bucket {
    pub(super) fn full(limit: u32, now: Millis) -> Self {
        Self { tokens: f64::from(limit), at: now }
    }

    pub(super) fn refill(&mut self, limit: u32, now: Millis) {
        let limit = f64::from(limit);
        let earned = now.since(self.at) as f64 * limit / MINUTE_MS;
        self.tokens = (self.tokens + earned).min(limit);
        self.at = now;
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
