//! Limits per API key and per project: buckets of requests that refill over a minute, and transcriptions at once.

mod bucket;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::project::Project;
use auris_domain::time::Millis;

use crate::settings::{Limits, RateSettings};
use crate::{Caller, Service};
use bucket::{Bucket, MINUTE_MS};

const MOST_REMEMBERED: usize = 100_000;

/// What the `x-ratelimit-*` headers tell: of the key's limit and the project's the one that ends sooner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateState {
    pub limit: u32,
    pub remaining: u32,
    /// Milliseconds until the whole limit is there again.
    pub reset_ms: u64,
}

/// The verdict on one request; the state is told in any case.
#[derive(Debug, Clone, PartialEq)]
pub struct RateVerdict {
    pub state: Option<RateState>,
    pub refusal: Option<ApiError>,
}

/// Whose limit it is, as messages say it, and under which name it is counted.
#[derive(Debug, Clone)]
struct Party {
    who: &'static str,
    id: String,
    limits: Limits,
}

pub(crate) struct RateLimits {
    settings: RateSettings,
    buckets: Mutex<HashMap<String, Bucket>>,
    running: Arc<Mutex<HashMap<String, u32>>>,
}

impl RateLimits {
    pub(crate) fn new(settings: RateSettings) -> Self {
        Self { settings, buckets: Mutex::default(), running: Arc::default() }
    }

    fn parties(&self, caller: &Caller) -> [Party; 2] {
        let key = Party { who: "key", id: caller.key.id.to_string(), limits: self.settings.key };
        let limits = of_project(self.settings.project, &caller.project);
        [key, Party { who: "project", id: caller.project.id.to_string(), limits }]
    }

    /// Counts a request with everybody, or, where one of them is at its limit, with nobody.
    fn take(&self, parties: &[Party], now: Millis) -> RateVerdict {
        let limited: Vec<&Party> =
            parties.iter().filter(|party| party.limits.requests_per_minute > 0).collect();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST_REMEMBERED {
            buckets.retain(|_, bucket| (now.since(bucket.at) as f64) < MINUTE_MS);
        }
        for party in &limited {
            let limit = party.limits.requests_per_minute;
            buckets.entry(party.id.clone()).or_insert_with(|| Bucket::full(limit, now)).refill(limit, now);
        }
        let empty = limited.iter().find(|party| buckets.get(&party.id).is_some_and(Bucket::is_empty));
        let refusal = empty.and_then(|party| Some(exceeded(party, buckets.get(&party.id)?)));
        if refusal.is_none() {
            for party in &limited {
                buckets.entry(party.id.clone()).and_modify(|bucket| bucket.tokens -= 1.0);
            }
        }
        let states = limited
            .iter()
            .filter_map(|party| Some(buckets.get(&party.id)?.state(party.limits.requests_per_minute)));
        RateVerdict { state: states.min_by_key(|state| state.remaining), refusal }
    }

    fn enter(&self, parties: &[Party]) -> Result<RunningTranscription, ApiError> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
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

/// A project's own limits go before the server's.
fn of_project(server: Limits, project: &Project) -> Limits {
    let own = project.limits;
    Limits {
        requests_per_minute: own.requests_per_minute.unwrap_or(server.requests_per_minute),
        concurrent_transcriptions: own.concurrent_transcriptions.unwrap_or(server.concurrent_transcriptions),
    }
}

fn exceeded(party: &Party, bucket: &Bucket) -> ApiError {
    let (who, limit) = (party.who, party.limits.requests_per_minute);
    let message = format!(
        "This {who} may send {limit} requests a minute; send the request again after the `Retry-After` seconds."
    );
    ApiError::new(ErrorCode::RateLimitExceeded, message).retry_after(bucket.seconds_to_next(limit))
}

fn too_many(party: &Party) -> ApiError {
    let (who, limit) = (party.who, party.limits.concurrent_transcriptions);
    let message = format!(
        "This {who} has {limit} synchronous transcriptions running, the most allowed; wait for one, or send async=true."
    );
    ApiError::new(ErrorCode::ConcurrencyLimitExceeded, message).retry_after(2)
}

/// A place among the running transcriptions of a key and its project, given back when dropped.
#[derive(Debug)]
pub(crate) struct RunningTranscription {
    ids: Vec<String>,
    running: Arc<Mutex<HashMap<String, u32>>>,
}

impl Drop for RunningTranscription {
    fn drop(&mut self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
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
        self.rates.take(&self.rates.parties(caller), self.clock.now())
    }

    pub(crate) fn enter_transcription(&self, caller: &Caller) -> Result<RunningTranscription, ApiError> {
        self.rates.enter(&self.rates.parties(caller))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Limits = Limits { requests_per_minute: 0, concurrent_transcriptions: 0 };

    fn limits() -> RateLimits {
        RateLimits::new(RateSettings { key: NONE, project: NONE })
    }

    fn party(who: &'static str, id: &str, requests: u32, transcriptions: u32) -> Party {
        let limits = Limits { requests_per_minute: requests, concurrent_transcriptions: transcriptions };
        Party { who, id: id.into(), limits }
    }

    #[test]
    fn a_bucket_empties_and_refills_over_a_minute() {
        let (limits, key) = (limits(), [party("key", "one", 2, 0)]);
        assert!(limits.take(&key, Millis(0)).refusal.is_none());
        assert_eq!(limits.take(&key, Millis(0)).state.unwrap().remaining, 0);
        let refused = limits.take(&key, Millis(0)).refusal.unwrap();
        assert_eq!((refused.code, refused.retry_after), (ErrorCode::RateLimitExceeded, Some(30)));
        assert!(limits.take(&key, Millis(30_000)).refusal.is_none());
    }

    #[test]
    fn keys_share_nothing_but_their_project() {
        let limits = limits();
        let with_key = |id| [party("key", id, 2, 0), party("project", "all", 3, 0)];
        let take = |id| limits.take(&with_key(id), Millis(0));
        assert!(take("one").refusal.is_none() && take("one").refusal.is_none());
        assert!(take("one").refusal.unwrap().message.contains("This key may"));
        let last = take("other");
        assert_eq!((last.refusal, last.state.map(|state| state.limit)), (None, Some(3)));
        assert!(take("other").refusal.unwrap().message.contains("This project may"));
    }

    #[test]
    fn a_request_that_the_project_refuses_costs_the_key_nothing() {
        let limits = limits();
        let parties = [party("key", "one", 5, 0), party("project", "all", 1, 0)];
        for _ in 0..4 {
            limits.take(&parties, Millis(0));
        }
        assert_eq!(limits.take(&parties[..1], Millis(0)).state.unwrap().remaining, 3);
    }

    #[test]
    fn zero_means_no_limit() {
        let verdict = limits().take(&[party("key", "one", 0, 0)], Millis(0));
        assert_eq!(verdict, RateVerdict { state: None, refusal: None });
    }

    #[test]
    fn a_finished_transcription_gives_its_places_back() {
        let (limits, parties) = (limits(), [party("key", "one", 0, 2), party("project", "all", 0, 1)]);
        let running = limits.enter(&parties).unwrap();
        let refused = limits.enter(&parties).unwrap_err();
        assert_eq!(refused.code, ErrorCode::ConcurrencyLimitExceeded);
        assert!(refused.message.contains("This project has 1"));
        drop(running);
        assert!(limits.enter(&parties).is_ok());
        assert!(limits.running.lock().unwrap().is_empty());
    }
}
