//! Remembers keys that were looked up a moment ago, so that most requests need no query for their key.

use auris_domain::time::Uptime;
use quick_cache::sync::Cache;

use super::caller::{Caller, CredentialId};

/// A revoked key must stop working within five seconds, so a remembered key is trusted no longer than this.
const CALLER_MS: i64 = 2_000;
/// How long one check of a key counts for all event streams that were opened with it.
const CHECK_MS: i64 = 1_500;
/// Maximum number of remembered keys, of about 500 bytes each. The least used are dropped first.
const CAPACITY: usize = 10_000;

pub(crate) struct KeyCache {
    /// Callers by the hash of their key, each with the time at which it was read. Not the time of day: if that is set
    /// back, a revoked key must not be trusted until it has caught up.
    callers: Cache<String, (Uptime, Caller)>,
    /// When the credential of an open stream was last seen to be valid.
    checks: Cache<CredentialId, Uptime>,
}

impl Default for KeyCache {
    fn default() -> Self {
        Self { callers: Cache::new(CAPACITY), checks: Cache::new(CAPACITY) }
    }
}

impl KeyCache {
    pub(super) fn caller(&self, hash: &str, now: Uptime) -> Option<Caller> {
        let (read_at, caller) = self.callers.get(hash)?;
        (now.since(read_at) < CALLER_MS).then_some(caller)
    }

    pub(super) fn remember_caller(&self, hash: String, now: Uptime, caller: Caller) {
        self.callers.insert(hash, (now, caller));
    }

    /// Whether the credential was seen to be valid a moment ago. Thousands of streams of one key then share one check.
    pub(super) fn was_valid(&self, id: &CredentialId, now: Uptime) -> bool {
        self.checks.get(id).is_some_and(|checked_at| now.since(checked_at) < CHECK_MS)
    }

    pub(super) fn remember_valid(&self, id: CredentialId, now: Uptime) {
        self.checks.insert(id, now);
    }
}

#[cfg(test)]
mod tests {
    use auris_domain::id::KeyId;
    use auris_domain::time::Millis;

    use super::*;

    #[test]
    fn a_check_counts_for_a_second_and_a_half() {
        let cache = KeyCache::default();
        let id = CredentialId::Key(KeyId::generate(Millis(0)));
        assert!(!cache.was_valid(&id, Uptime(0)));
        cache.remember_valid(id.clone(), Uptime(0));
        assert!(cache.was_valid(&id, Uptime(CHECK_MS - 1)));
        assert!(!cache.was_valid(&id, Uptime(CHECK_MS)));
    }
}
