//! Rate limits per API key and per project: requests per minute, and concurrent transcriptions and event streams.

use std::collections::HashMap;
use std::sync::Arc;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::project::Project;
use auris_domain::time::Uptime;
use parking_lot::Mutex;
use quick_cache::unsync::Cache;

use super::key_slots::{KeySlot, KeySlots};
use super::token_bucket::{Bucket, RateState};
use crate::settings::{Limits, RateSettings};
use crate::{Caller, Service};

/// Maximum number of token buckets, of about 60 bytes each. The least used are dropped first; their keys start with a
/// full bucket again.
const MAX_BUCKETS: usize = 100_000;

/// Whether one request is within the limits. The state is reported in both cases.
#[derive(Debug, Clone, PartialEq)]
pub struct RateVerdict {
    pub state: Option<RateState>,
    pub refusal: Option<ApiError>,
}

/// A key or a project, with its limits.
#[derive(Debug, Clone)]
struct Party {
    /// The word in messages: `key` or `project`.
    who: &'static str,
    id: String,
    limits: Limits,
}

pub(crate) struct RateLimits {
    settings: RateSettings,
    buckets: Mutex<Cache<String, Bucket>>,
    running: Arc<Mutex<HashMap<String, u32>>>,
    streams: KeySlots,
}

impl RateLimits {
    pub(crate) fn new(settings: RateSettings) -> Self {
        Self {
            settings,
            buckets: Mutex::new(Cache::new(MAX_BUCKETS)),
            running: Arc::default(),
            streams: KeySlots::new("key", "open event streams", settings.concurrent_streams),
        }
    }

    fn parties(&self, caller: &Caller) -> [Party; 2] {
        let key = Party { who: "key", id: caller.counted().to_string(), limits: self.settings.key };
        let limits = of_project(self.settings.project, &caller.project);
        [key, Party { who: "project", id: caller.project.id.to_string(), limits }]
    }

    /// Counts a request for all parties, or for none of them if one is at its limit.
    fn take(&self, parties: &[Party], now: Uptime) -> RateVerdict {
        let mut buckets = self.buckets.lock();
        let limited = parties.iter().filter(|party| party.limits.requests_per_minute > 0);
        let mut refilled: Vec<(&Party, Bucket)> = limited
            .map(|party| {
                let limit = party.limits.requests_per_minute;
                let known = buckets.get(&party.id).copied();
                (party, known.unwrap_or_else(|| Bucket::full(limit, now)).refilled(limit, now))
            })
            .collect();
        let empty = refilled.iter().find(|(_, bucket)| bucket.is_empty());
        let refusal = empty.map(|(party, bucket)| exceeded(party, bucket));
        if refusal.is_none() {
            refilled.iter_mut().for_each(|(_, bucket)| bucket.tokens -= 1.0);
        }
        let states = refilled.iter().map(|(party, bucket)| bucket.state(party.limits.requests_per_minute));
        let state = states.min_by_key(|state| state.remaining);
        for (party, bucket) in refilled {
            buckets.insert(party.id.clone(), bucket);
        }
        RateVerdict { state, refusal }
    }

    fn enter(&self, parties: &[Party]) -> Result<RunningTranscription, ApiError> {
        let mut running = self.running.lock();
        let count = |party: &Party| running.get(&party.id).copied().unwrap_or(0);
        let full = parties.iter().find(|party| {
            let limit = party.limits.concurrent_transcriptions;
            limit > 0 && count(party) >= limit
        });
        if let Some(party) = full {
            return Err(too_many(party));
        }
        let ids: Vec<String> = parties.iter().map(|party| party.id.clone()).collect();
        for id in &ids {
            *running.entry(id.clone()).or_insert(0) += 1;
        }
        Ok(RunningTranscription { ids, running: Arc::clone(&self.running) })
    }
}

/// A project's own limits take precedence over the server's.
fn of_project(server: Limits, project: &Project) -> Limits {
    let own = project.limits;
    Limits {
        requests_per_minute: own.requests_per_minute.unwrap_or(server.requests_per_minute),
        concurrent_transcriptions: own.concurrent_transcriptions.unwrap_or(server.concurrent_transcriptions),
    }
}

fn exceeded(party: &Party, bucket: &Bucket) -> ApiError {
    let who = party.who;
    let limit = party.limits.requests_per_minute;
    let message = format!(
        "This {who} may send {limit} requests per minute; retry after the number of seconds in `Retry-After`."
    );
    ApiError::new(ErrorCode::RateLimitExceeded, message).retry_after(bucket.seconds_to_next(limit))
}

fn too_many(party: &Party) -> ApiError {
    let who = party.who;
    let limit = party.limits.concurrent_transcriptions;
    let message = format!(
        "This {who} already has {limit} running synchronous transcriptions, the maximum; wait for one to end, or send async=true."
    );
    ApiError::new(ErrorCode::ConcurrencyLimitExceeded, message).retry_after(2)
}

/// Counts as one of the running transcriptions of a key and its project until it is dropped.
#[derive(Debug)]
pub(crate) struct RunningTranscription {
    ids: Vec<String>,
    running: Arc<Mutex<HashMap<String, u32>>>,
}

impl Drop for RunningTranscription {
    fn drop(&mut self) {
        let mut running = self.running.lock();
        for id in &self.ids {
            if let Some(count) = running.get_mut(id) {
                *count -= 1;
                if *count == 0 {
                    running.remove(id);
                }
            }
        }
    }
}

impl Service {
    /// Counts one request of this caller.
    pub fn count_request(&self, caller: &Caller) -> RateVerdict {
        self.rate_limits().take(&self.rate_limits().parties(caller), self.clock().uptime())
    }

    pub(crate) fn enter_transcription(&self, caller: &Caller) -> Result<RunningTranscription, ApiError> {
        self.rate_limits().enter(&self.rate_limits().parties(caller))
    }

    /// Counts one more event stream of the caller's key. Fails if the key has too many.
    pub(crate) fn begin_stream(&self, caller: &Caller) -> Result<KeySlot, ApiError> {
        self.rate_limits().streams.try_acquire(&caller.credential())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::UploadSettings;
    use std::time::Duration;

    const NONE: Limits = Limits { requests_per_minute: 0, concurrent_transcriptions: 0 };

    fn limits() -> RateLimits {
        let uploads = UploadSettings { concurrent: 0, wait: Duration::ZERO };
        RateLimits::new(RateSettings { key: NONE, project: NONE, uploads, concurrent_streams: 0 })
    }

    fn party(who: &'static str, id: &str, requests: u32, transcriptions: u32) -> Party {
        let limits = Limits { requests_per_minute: requests, concurrent_transcriptions: transcriptions };
        Party { who, id: id.into(), limits }
    }

    #[test]
    fn a_bucket_empties_and_refills_over_a_minute() {
        let (limits, key) = (limits(), [party("key", "one", 2, 0)]);
        assert!(limits.take(&key, Uptime(0)).refusal.is_none());
        assert_eq!(limits.take(&key, Uptime(0)).state.unwrap().remaining, 0);
        let refused = limits.take(&key, Uptime(0)).refusal.unwrap();
        assert_eq!((refused.code, refused.retry_after), (ErrorCode::RateLimitExceeded, Some(30)));
        assert!(limits.take(&key, Uptime(30_000)).refusal.is_none());
    }

    #[test]
    fn keys_share_only_the_limit_of_their_project() {
        let limits = limits();
        let with_key = |id| [party("key", id, 2, 0), party("project", "all", 3, 0)];
        let take = |id| limits.take(&with_key(id), Uptime(0));
        assert!(take("one").refusal.is_none() && take("one").refusal.is_none());
        assert!(take("one").refusal.unwrap().message.contains("This key may"));
        let last = take("other");
        assert_eq!((last.refusal, last.state.map(|state| state.limit)), (None, Some(3)));
        assert!(take("other").refusal.unwrap().message.contains("This project may"));
    }

    #[test]
    fn a_request_refused_by_the_project_does_not_count_for_the_key() {
        let limits = limits();
        let parties = [party("key", "one", 5, 0), party("project", "all", 1, 0)];
        for _ in 0..4 {
            limits.take(&parties, Uptime(0));
        }
        assert_eq!(limits.take(&parties[..1], Uptime(0)).state.unwrap().remaining, 3);
    }

    #[test]
    fn zero_means_no_limit() {
        let verdict = limits().take(&[party("key", "one", 0, 0)], Uptime(0));
        assert_eq!(verdict, RateVerdict { state: None, refusal: None });
    }

    #[test]
    fn a_finished_transcription_no_longer_counts() {
        let (limits, parties) = (limits(), [party("key", "one", 0, 2), party("project", "all", 0, 1)]);
        let running = limits.enter(&parties).unwrap();
        let refused = limits.enter(&parties).unwrap_err();
        assert_eq!(refused.code, ErrorCode::ConcurrencyLimitExceeded);
        assert!(refused.message.contains("This project already has 1"));
        drop(running);
        assert!(limits.enter(&parties).is_ok());
        assert!(limits.running.lock().is_empty());
    }
}
