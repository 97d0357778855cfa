//! Limits failed sign-ins. A key cannot be guessed, but the attempts would load the database.
//!
//! Behind a proxy all visitors have the same address. So the limit refuses nobody who has a valid key or link: once it is
//! reached, attempts are still checked, but one at a time, and those that fail get another answer.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::time::Uptime;
use parking_lot::Mutex;
use quick_cache::unsync::Cache;

use super::token_bucket::Bucket;

/// Failed attempts per minute from one address.
const OF_CLIENT: u32 = 10;
/// Failed attempts per minute from all addresses of this process together.
const OF_ALL: u32 = 300;
/// Addresses that are remembered; the least used are dropped first.
const MAX_CLIENTS: usize = 10_000;
/// The entry for all addresses. No address is empty.
const ALL: &str = "";

pub(crate) struct SignInLimit {
    buckets: Mutex<Cache<String, Bucket>>,
    /// Held while an attempt beyond the limit is checked, so that a flood of them uses one database connection.
    turn: tokio::sync::Mutex<()>,
}

/// An attempt beyond the limit. While it exists, no other such attempt is checked.
pub(super) struct LimitedAttempt<'a> {
    /// The answer if the attempt fails.
    pub(super) refusal: ApiError,
    _turn: tokio::sync::MutexGuard<'a, ()>,
}

impl Default for SignInLimit {
    fn default() -> Self {
        Self { buckets: Mutex::new(Cache::new(MAX_CLIENTS)), turn: tokio::sync::Mutex::new(()) }
    }
}

impl SignInLimit {
    /// Waits for its turn if too many attempts have failed; `None` otherwise.
    pub(super) async fn limited_attempt(&self, client: &str, now: Uptime) -> Option<LimitedAttempt<'_>> {
        let refusal = self.refusal(client, now)?;
        Some(LimitedAttempt { refusal, _turn: self.turn.lock().await })
    }

    fn refusal(&self, client: &str, now: Uptime) -> Option<ApiError> {
        let buckets = self.buckets.lock();
        let limits = [(client, OF_CLIENT), (ALL, OF_ALL)].into_iter();
        let mut states = limits.map(|(name, limit)| (refilled(&buckets, name, limit, now), limit));
        let (bucket, limit) = states.find(|(bucket, _)| bucket.is_empty())?;
        let message =
            "This sign-in failed, and too many before it; check the key or link, and try again in a minute.";
        Some(ApiError::new(ErrorCode::TooManySignIns, message).retry_after(bucket.seconds_to_next(limit)))
    }

    pub(super) fn record_failure(&self, client: &str, now: Uptime) {
        let mut buckets = self.buckets.lock();
        for (name, limit) in [(client, OF_CLIENT), (ALL, OF_ALL)] {
            let mut bucket = refilled(&buckets, name, limit, now);
            bucket.tokens = (bucket.tokens - 1.0).max(0.0);
            buckets.insert(name.to_owned(), bucket);
        }
    }
}

fn refilled(buckets: &Cache<String, Bucket>, name: &str, limit: u32, now: Uptime) -> Bucket {
    let known = buckets.peek(name).copied();
    known.unwrap_or_else(|| Bucket::full(limit, now)).refilled(limit, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_is_refused_after_ten_failures_and_allowed_again_later() {
        let limit = SignInLimit::default();
        for _ in 0..OF_CLIENT {
            assert!(limit.refusal("192.0.2.1", Uptime(0)).is_none());
            limit.record_failure("192.0.2.1", Uptime(0));
        }
        let refusal = limit.refusal("192.0.2.1", Uptime(0)).unwrap();
        assert_eq!(refusal.code, ErrorCode::TooManySignIns);
        assert!(refusal.retry_after.is_some());
        assert!(limit.refusal("192.0.2.2", Uptime(0)).is_none());
        assert!(limit.refusal("192.0.2.1", Uptime(60_000)).is_none());
    }

    #[test]
    fn many_addresses_together_are_limited_too() {
        let limit = SignInLimit::default();
        for client in 0..OF_ALL {
            limit.record_failure(&format!("192.0.2.{client}"), Uptime(0));
        }
        assert!(limit.refusal("198.51.100.1", Uptime(0)).is_some());
    }
}
