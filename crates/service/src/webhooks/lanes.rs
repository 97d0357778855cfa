//! What this process knows of each receiver: how much it has in hand for it, and whether to leave it in peace for now.
//!
//! A receiver that fails time after time is left alone for a while (its breaker is open), then asked with a single delivery.
//! So a dead one costs a try now and then, not a place for every delivery that waits for it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use auris_domain::time::Millis;
use auris_store::{Lane, LaneClaim};
use tokio::sync::{Notify, Semaphore};

/// Failures in a row that open the breaker.
const FAILURES: u32 = 5;
/// How long a breaker stays open: the first time, and at most, as it doubles with each failed probe.
const FIRST_PAUSE_MS: i64 = 10_000;
const LONGEST_PAUSE_MS: i64 = 60_000;
/// The longest that a receiver can ask to be left alone with everything; a single delivery waits as long as it is asked to.
const LONGEST_REST_MS: i64 = 300_000;
/// Of a receiver so many milliseconds of its deliveries are in hand, by what its last answer took: enough that it does not
/// wait while a claim is written to a busy disk. And no more than so many times what it is sent at once.
const AHEAD_MS: i64 = 500;
const MOST_AHEAD: i64 = 64;

pub(super) struct Lanes {
    per_endpoint: usize,
    known: Mutex<HashMap<String, State>>,
    /// Told when a lane of which more is due has room again.
    pub(super) freed: Notify,
}

struct State {
    /// Deliveries that this process has claimed and not finished.
    in_hand: usize,
    /// The last claim got all it asked for, so there may be more.
    more: bool,
    places: Arc<Semaphore>,
    /// Deliveries in hand for each that is sent.
    ahead: usize,
    failures: u32,
    pause_ms: i64,
    closed_until: Millis,
}

/// How a delivery that was in hand ended, as far as the lane is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finished {
    Succeeded {
        duration_ms: i64,
    },
    /// The receiver may have asked to be left alone until then.
    Failed {
        rest_until: Option<Millis>,
    },
    /// It came to no try.
    Untried,
}

/// What is to be claimed now, and when to look again.
pub(super) struct Wanted {
    pub(super) claims: Vec<LaneClaim>,
    pub(super) next_look: Option<Millis>,
}

impl Lanes {
    pub(super) fn new(per_endpoint: usize) -> Self {
        Self { per_endpoint, known: Mutex::default(), freed: Notify::new() }
    }

    /// Shares `room` among the lanes in which something is due, those first that have waited longest.
    pub(super) fn wanted(&self, mut waiting: Vec<Lane>, now: Millis, mut room: usize) -> Wanted {
        let mut known = self.known();
        forget_idle(&mut known, &waiting, now);
        waiting.sort_by_key(|one| one.due_at);
        let mut wanted = Wanted { claims: Vec::new(), next_look: None };
        let mut later = |at: Millis| {
            wanted.next_look = Some(wanted.next_look.map_or(at, |next: Millis| next.min(at)));
        };
        let mut ready = Vec::new();
        for lane in waiting {
            let closed_until = known.get(&lane.name).map_or(Millis(0), |state| state.closed_until);
            match lane.due_at.max(closed_until) {
                at if at > now => later(at),
                _ => ready.push(lane.name),
            }
        }
        let mut left = ready.len();
        for name in ready {
            let state = known.entry(name.clone()).or_insert_with(|| State::new(self.per_endpoint));
            let share = room.div_ceil(left).min(state.room(self.per_endpoint));
            left -= 1;
            room -= share;
            if share > 0 {
                wanted.claims.push(LaneClaim { lane: name, limit: share as u32 });
            } else {
                // Looked at again when one of those in hand is done.
                state.more = true;
            }
        }
        wanted
    }

    /// Notes what a claim got.
    pub(super) fn claimed(&self, claim: &LaneClaim, count: usize) {
        if let Some(state) = self.known().get_mut(&claim.lane) {
            state.in_hand += count;
            state.more = count == claim.limit as usize;
        }
    }

    /// Where a delivery of the lane waits for its turn.
    pub(super) fn places(&self, lane: &str) -> Arc<Semaphore> {
        let mut known = self.known();
        let state = known.entry(lane.to_owned()).or_insert_with(|| State::new(self.per_endpoint));
        Arc::clone(&state.places)
    }

    pub(super) fn is_closed(&self, lane: &str, now: Millis) -> bool {
        self.known().get(lane).is_some_and(|state| state.closed_until > now)
    }

    pub(super) fn finished(&self, lane: &str, finished: Finished, now: Millis) {
        let mut known = self.known();
        let Some(state) = known.get_mut(lane) else { return };
        state.in_hand = state.in_hand.saturating_sub(1);
        match finished {
            Finished::Succeeded { duration_ms } => state.succeeded(duration_ms),
            Finished::Failed { rest_until } => state.failed(rest_until, now),
            Finished::Untried => {}
        }
        if state.more && state.in_hand <= state.depth(self.per_endpoint) / 2 {
            state.more = false;
            self.freed.notify_one();
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, State>> {
        // Every change of an entry is whole, so a panic elsewhere leaves nothing half done.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn new(per_endpoint: usize) -> Self {
        Self {
            in_hand: 0,
            more: false,
            places: Arc::new(Semaphore::new(per_endpoint)),
            ahead: 1,
            failures: 0,
            pause_ms: FIRST_PAUSE_MS,
            closed_until: Millis(0),
        }
    }

    /// How many deliveries may be in hand at once; one, as a probe, after a row of failures.
    fn depth(&self, per_endpoint: usize) -> usize {
        if self.failures >= FAILURES { 1 } else { per_endpoint * self.ahead }
    }

    fn room(&self, per_endpoint: usize) -> usize {
        self.depth(per_endpoint).saturating_sub(self.in_hand)
    }

    fn succeeded(&mut self, duration_ms: i64) {
        self.ahead = (AHEAD_MS / duration_ms.max(1)).clamp(1, MOST_AHEAD) as usize;
        (self.failures, self.pause_ms, self.closed_until) = (0, FIRST_PAUSE_MS, Millis(0));
    }

    fn failed(&mut self, rest_until: Option<Millis>, now: Millis) {
        self.ahead = 1;
        if self.closed_until > now {
            // Sent before the breaker opened; it says nothing new.
            return;
        }
        self.failures += 1;
        if self.failures >= FAILURES {
            self.closed_until = now.plus_ms(self.pause_ms);
            self.pause_ms = (self.pause_ms * 2).min(LONGEST_PAUSE_MS);
        }
        if let Some(until) = rest_until {
            self.closed_until = self.closed_until.max(until.min(now.plus_ms(LONGEST_REST_MS)));
        }
    }
}

/// Lanes without a past that matters are not remembered, or every address ever used would be.
fn forget_idle(known: &mut HashMap<String, State>, waiting: &[Lane], now: Millis) {
    let waiting: HashSet<&str> = waiting.iter().map(|lane| lane.name.as_str()).collect();
    known.retain(|name, state| {
        state.in_hand > 0 || state.closed_until > now || waiting.contains(name.as_str())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis(1_000_000);
    const FAILED: Finished = Finished::Failed { rest_until: None };

    fn lane(name: &str, due_at: Millis) -> Lane {
        Lane { name: name.into(), due_at }
    }

    fn limits(lanes: &Lanes, waiting: &[Lane], now: Millis, room: usize) -> Vec<(String, u32)> {
        let wanted = lanes.wanted(waiting.to_vec(), now, room);
        wanted.claims.into_iter().map(|claim| (claim.lane, claim.limit)).collect()
    }

    fn take(lanes: &Lanes, name: &str, count: usize) {
        lanes.claimed(&LaneClaim { lane: name.into(), limit: count as u32 }, count);
    }

    #[test]
    fn room_is_shared_and_no_lane_gets_more_than_its_limit() {
        let lanes = Lanes::new(8);
        let waiting = [lane("a", NOW), lane("b", NOW), lane("later", NOW.plus_ms(5))];
        assert_eq!(limits(&lanes, &waiting, NOW, 100), [("a".into(), 8), ("b".into(), 8)]);
        assert_eq!(limits(&lanes, &waiting, NOW, 3), [("a".into(), 2), ("b".into(), 1)]);
        let next = lanes.wanted(waiting.to_vec(), NOW, 100).next_look;
        assert_eq!(next, Some(NOW.plus_ms(5)));
    }

    #[test]
    fn a_full_lane_leaves_the_others_alone() {
        let lanes = Lanes::new(8);
        let waiting = [lane("slow", Millis(0)), lane("other", NOW)];
        assert_eq!(limits(&lanes, &waiting[..1], NOW, 100), [("slow".into(), 8)]);
        take(&lanes, "slow", 8);
        assert_eq!(limits(&lanes, &waiting, NOW, 100), [("other".into(), 8)]);
    }

    #[test]
    fn the_quicker_a_receiver_the_more_is_fetched_ahead() {
        for (duration_ms, in_hand) in [(0, 512), (3, 512), (50, 80), (499, 8), (9_000, 8)] {
            let lanes = Lanes::new(8);
            let waiting = [lane("a", NOW)];
            limits(&lanes, &waiting, NOW, 100);
            take(&lanes, "a", 1);
            lanes.finished("a", Finished::Succeeded { duration_ms }, NOW);
            assert_eq!(limits(&lanes, &waiting, NOW, 5_000), [("a".into(), in_hand)], "{duration_ms} ms");
        }
    }

    #[test]
    fn five_failures_in_a_row_open_the_breaker_and_a_probe_closes_it() {
        let lanes = Lanes::new(8);
        let waiting = [lane("dead", NOW)];
        limits(&lanes, &waiting, NOW, 100);
        take(&lanes, "dead", 8);
        for _ in 0..8 {
            lanes.finished("dead", FAILED, NOW);
        }
        assert!(lanes.is_closed("dead", NOW));
        let closed = lanes.wanted(waiting.to_vec(), NOW, 100);
        assert!(closed.claims.is_empty());
        let opens = NOW.plus_ms(FIRST_PAUSE_MS);
        assert_eq!(closed.next_look, Some(opens));
        assert_eq!(limits(&lanes, &waiting, opens, 100), [("dead".into(), 1)], "one probe");
        take(&lanes, "dead", 1);
        lanes.finished("dead", FAILED, opens);
        let again = opens.plus_ms(2 * FIRST_PAUSE_MS);
        assert!(lanes.is_closed("dead", Millis(again.0 - 1)), "twice as long");
        assert_eq!(limits(&lanes, &waiting, again, 100), [("dead".into(), 1)]);
        take(&lanes, "dead", 1);
        lanes.finished("dead", Finished::Succeeded { duration_ms: 900 }, again);
        assert_eq!(limits(&lanes, &waiting, again, 100), [("dead".into(), 8)]);
    }

    #[test]
    fn a_receiver_that_asks_for_rest_gets_it_but_not_for_ever() {
        let lanes = Lanes::new(8);
        let waiting = [lane("busy", NOW)];
        limits(&lanes, &waiting, NOW, 100);
        take(&lanes, "busy", 2);
        lanes.finished("busy", Finished::Failed { rest_until: Some(NOW.plus_ms(60_000)) }, NOW);
        assert!(lanes.is_closed("busy", NOW.plus_ms(59_999)));
        assert!(!lanes.is_closed("busy", NOW.plus_ms(60_000)));
        let rested = NOW.plus_ms(60_000);
        lanes.finished("busy", Finished::Failed { rest_until: Some(Millis(i64::MAX)) }, rested);
        assert!(!lanes.is_closed("busy", rested.plus_ms(LONGEST_REST_MS)));
    }

    #[test]
    fn lanes_without_a_past_are_forgotten() {
        let lanes = Lanes::new(8);
        limits(&lanes, &[lane("a", NOW)], NOW, 100);
        assert_eq!(lanes.known().len(), 1);
        limits(&lanes, &[], NOW, 100);
        assert_eq!(lanes.known().len(), 0);
    }
}
