//! Limits failed sign-ins. A key cannot be guessed, but the attempts would fill the log and load the database.

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

pub(crate) struct SignInLimit(Mutex<Cache<String, Bucket>>);

impl Default for SignInLimit {
    fn default() -> Self {
        Self(Mutex::new(Cache::new(MAX_CLIENTS)))
    }
}

impl SignInLimit {
    /// Refuses an attempt after too many that failed.
    pub(super) fn check(&self, client: &str, now: Uptime) -> Result<(), ApiError> {
        let buckets = self.0.lock();
        for (name, limit) in [(client, OF_CLIENT), (ALL, OF_ALL)] {
            let bucket = refilled(&buckets, name, limit, now);
            if bucket.is_empty() {
                let message = "Too many sign-ins have failed; wait a minute and try again.";
                let wait = bucket.seconds_to_next(limit);
                return Err(ApiError::new(ErrorCode::TooManySignIns, message).retry_after(wait));
            }
        }
        Ok(())
    }

    pub(super) fn record_failure(&self, client: &str, now: Uptime) {
        let mut buckets = self.0.lock();
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
            limit.check("192.0.2.1", Uptime(0)).unwrap();
            limit.record_failure("192.0.2.1", Uptime(0));
        }
        let refusal = limit.check("192.0.2.1", Uptime(0)).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::TooManySignIns);
        assert!(refusal.retry_after.is_some());
        limit.check("192.0.2.2", Uptime(0)).unwrap();
        limit.check("192.0.2.1", Uptime(60_000)).unwrap();
    }

    #[test]
    fn many_addresses_together_are_limited_too() {
        let limit = SignInLimit::default();
        for client in 0..OF_ALL {
            limit.record_failure(&format!("192.0.2.{client}"), Uptime(0));
        }
        assert!(limit.check("198.51.100.1", Uptime(0)).is_err());
    }
}
