//! What this process knows about each receiver: how many deliveries to it are unfinished, and whether it is paused.
//!
//! A receiver that fails several times in a row is paused (its circuit breaker opens), then probed with one delivery. So
//! a dead receiver costs one attempt now and then, not a slot for every delivery that waits for it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use auris_domain::time::{Millis, Uptime};
use auris_store::{ReceiverClaim, WaitingReceiver};
use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore};

/// Consecutive failures that pause a receiver.
const FAILURES: u32 = 5;
/// How long the first pause lasts. It doubles with each failed probe, up to the longest pause.
const FIRST_PAUSE_MS: i64 = 10_000;
const LONGEST_PAUSE_MS: i64 = 60_000;
/// The longest pause that a receiver can ask for all its deliveries. A single delivery waits as long as it was asked to.
const LONGEST_REQUESTED_PAUSE_MS: i64 = 300_000;
/// Deliveries are claimed ahead for about this many milliseconds, estimated from the receiver's last response time:
/// enough that it does not wait while a claim is written to a busy disk.
const PREFETCH_MS: i64 = 500;
/// Maximum number of deliveries claimed ahead per slot. Higher values let one hanging receiver hold too much.
const MAX_PREFETCH: i64 = 64;

pub(super) struct Receivers {
    per_endpoint: usize,
    known: Mutex<HashMap<String, ReceiverState>>,
    /// Notified when a receiver that has more due can take deliveries again.
    pub(super) freed: Notify,
}

struct ReceiverState {
    /// Deliveries that this process has claimed and not finished.
    unfinished: usize,
    /// Whether more deliveries may be due: the last claim got all it asked for.
    has_more: bool,
    slots: Arc<Semaphore>,
    /// Deliveries claimed per slot.
    prefetch: usize,
    failures: u32,
    pause_ms: i64,
    /// An uptime, not a time of day: a clock that is set back must not prolong the pause.
    paused_until: Uptime,
}

/// The current time for what is stored, and for what is kept in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now {
    pub(super) wall: Millis,
    pub(super) uptime: Uptime,
}

/// How a claimed delivery ended, as far as the receiver is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finished {
    Succeeded {
        duration_ms: i64,
    },
    /// The receiver may have asked for a pause.
    Failed {
        pause_ms: Option<i64>,
    },
    NotAttempted,
}

/// What to claim now, and when the next delivery is due.
pub(super) struct Wanted {
    pub(super) claims: Vec<ReceiverClaim>,
    pub(super) next_due: Option<Millis>,
}

impl Receivers {
    pub(super) fn new(per_endpoint: usize) -> Self {
        Self { per_endpoint, known: Mutex::default(), freed: Notify::new() }
    }

    /// Shares `room` among the receivers that have something due; the one that has waited longest comes first.
    pub(super) fn wanted(&self, mut waiting: Vec<WaitingReceiver>, now: Now, room: usize) -> Wanted {
        let mut known = self.known.lock();
        forget_idle(&mut known, &waiting, now.uptime);
        waiting.sort_by_key(|receiver| receiver.due_at);
        let mut next_due: Option<Millis> = None;
        let mut ready = Vec::new();
        for receiver in waiting {
            let pause_ms = known.get(&receiver.name).map_or(0, |state| state.paused_until.since(now.uptime));
            let due_at = receiver.due_at.max(now.wall.plus_ms(pause_ms));
            if due_at > now.wall {
                next_due = Some(next_due.map_or(due_at, |next| next.min(due_at)));
            } else {
                ready.push(receiver.name);
            }
        }
        Wanted { claims: self.share(&mut known, ready, room), next_due }
    }

    fn share(
        &self,
        known: &mut HashMap<String, ReceiverState>,
        ready: Vec<String>,
        mut room: usize,
    ) -> Vec<ReceiverClaim> {
        let mut claims = Vec::new();
        let mut left = ready.len();
        for receiver in ready {
            let state =
                known.entry(receiver.clone()).or_insert_with(|| ReceiverState::new(self.per_endpoint));
            let share = room.div_ceil(left).min(state.room(self.per_endpoint));
            left -= 1;
            room -= share;
            if share > 0 {
                claims.push(ReceiverClaim { receiver, limit: share as u32 });
            } else {
                // Looked at again when one of its claimed deliveries is finished.
                state.has_more = true;
            }
        }
        claims
    }

    /// Counts the deliveries that a claim got.
    pub(super) fn claimed(&self, claim: &ReceiverClaim, count: usize) {
        if let Some(state) = self.known.lock().get_mut(&claim.receiver) {
            state.unfinished += count;
            state.has_more = count == claim.limit as usize;
        }
    }

    /// The slots for deliveries that are being sent to this receiver.
    pub(super) fn slots(&self, receiver: &str) -> Arc<Semaphore> {
        let mut known = self.known.lock();
        let state = known.entry(receiver.to_owned()).or_insert_with(|| ReceiverState::new(self.per_endpoint));
        Arc::clone(&state.slots)
    }

    pub(super) fn is_paused(&self, receiver: &str, now: Uptime) -> bool {
        self.known.lock().get(receiver).is_some_and(|state| state.paused_until > now)
    }

    pub(super) fn finished(&self, receiver: &str, finished: Finished, now: Uptime) {
        let mut known = self.known.lock();
        let Some(state) = known.get_mut(receiver) else { return };
        state.unfinished = state.unfinished.saturating_sub(1);
        match finished {
            Finished::Succeeded { duration_ms } => state.succeeded(duration_ms),
            Finished::Failed { pause_ms } => state.failed(pause_ms, now),
            Finished::NotAttempted => {}
        }
        if state.has_more && state.unfinished <= state.depth(self.per_endpoint) / 2 {
            state.has_more = false;
            self.freed.notify_one();
        }
    }
}

impl ReceiverState {
    fn new(per_endpoint: usize) -> Self {
        Self {
            unfinished: 0,
            has_more: false,
            slots: Arc::new(Semaphore::new(per_endpoint)),
            prefetch: 1,
            failures: 0,
            pause_ms: FIRST_PAUSE_MS,
            paused_until: Uptime(0),
        }
    }

    /// Maximum number of unfinished deliveries. After too many failures it is one, the probe.
    fn depth(&self, per_endpoint: usize) -> usize {
        if self.failures >= FAILURES { 1 } else { per_endpoint * self.prefetch }
    }

    fn room(&self, per_endpoint: usize) -> usize {
        self.depth(per_endpoint).saturating_sub(self.unfinished)
    }

    fn succeeded(&mut self, duration_ms: i64) {
        self.prefetch = (PREFETCH_MS / duration_ms.max(1)).clamp(1, MAX_PREFETCH) as usize;
        self.failures = 0;
        self.pause_ms = FIRST_PAUSE_MS;
        self.paused_until = Uptime(0);
    }

    fn failed(&mut self, requested_ms: Option<i64>, now: Uptime) {
        self.prefetch = 1;
        if self.paused_until > now {
            // Sent before the pause began; it says nothing new.
            return;
        }
        self.failures += 1;
        if self.failures >= FAILURES {
            self.paused_until = now.plus_ms(self.pause_ms);
            self.pause_ms = (self.pause_ms * 2).min(LONGEST_PAUSE_MS);
        }
        if let Some(requested_ms) = requested_ms {
            let requested = now.plus_ms(requested_ms.min(LONGEST_REQUESTED_PAUSE_MS));
            self.paused_until = self.paused_until.max(requested);
        }
    }
}

/// Forgets receivers that have nothing waiting, nothing unfinished and no pause; otherwise every URL ever used would stay in
/// memory.
fn forget_idle(known: &mut HashMap<String, ReceiverState>, waiting: &[WaitingReceiver], now: Uptime) {
    let waiting: HashSet<&str> = waiting.iter().map(|receiver| receiver.name.as_str()).collect();
    known.retain(|name, state| {
        state.unfinished > 0 || state.paused_until > now || waiting.contains(name.as_str())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time of day in these tests is an hour ahead of the uptime.
    const NOW: Millis = Millis(3_600_000);
    const FAILED: Finished = Finished::Failed { pause_ms: None };

    fn at(ms: i64) -> Now {
        Now { wall: NOW.plus_ms(ms), uptime: Uptime(ms) }
    }

    fn receiver(name: &str, due_at: Millis) -> WaitingReceiver {
        WaitingReceiver { name: name.into(), due_at }
    }

    fn limits(
        receivers: &Receivers,
        waiting: &[WaitingReceiver],
        now: Now,
        room: usize,
    ) -> Vec<(String, u32)> {
        let wanted = receivers.wanted(waiting.to_vec(), now, room);
        wanted.claims.into_iter().map(|claim| (claim.receiver, claim.limit)).collect()
    }

    fn take(receivers: &Receivers, name: &str, count: usize) {
        receivers.claimed(&ReceiverClaim { receiver: name.into(), limit: count as u32 }, count);
    }

    /// A receiver that has just been paused for its failures.
    fn paused(waiting: &[WaitingReceiver]) -> Receivers {
        let receivers = Receivers::new(8);
        limits(&receivers, waiting, at(0), 100);
        take(&receivers, "dead", 8);
        for _ in 0..8 {
            receivers.finished("dead", FAILED, Uptime(0));
        }
        receivers
    }

    #[test]
    fn room_is_shared_and_no_receiver_gets_more_than_its_limit() {
        let receivers = Receivers::new(8);
        let waiting = [receiver("a", NOW), receiver("b", NOW), receiver("later", NOW.plus_ms(5))];
        assert_eq!(limits(&receivers, &waiting, at(0), 100), [("a".into(), 8), ("b".into(), 8)]);
        assert_eq!(limits(&receivers, &waiting, at(0), 3), [("a".into(), 2), ("b".into(), 1)]);
        let next = receivers.wanted(waiting.to_vec(), at(0), 100).next_due;
        assert_eq!(next, Some(NOW.plus_ms(5)));
    }

    #[test]
    fn a_receiver_at_its_limit_leaves_room_to_the_others() {
        let receivers = Receivers::new(8);
        let waiting = [receiver("slow", Millis(0)), receiver("other", NOW)];
        assert_eq!(limits(&receivers, &waiting[..1], at(0), 100), [("slow".into(), 8)]);
        take(&receivers, "slow", 8);
        assert_eq!(limits(&receivers, &waiting, at(0), 100), [("other".into(), 8)]);
    }

    #[test]
    fn more_is_claimed_ahead_for_faster_receivers() {
        for (duration_ms, unfinished) in [(0, 512), (3, 512), (50, 80), (499, 8), (9_000, 8)] {
            let receivers = Receivers::new(8);
            let waiting = [receiver("a", NOW)];
            limits(&receivers, &waiting, at(0), 100);
            take(&receivers, "a", 1);
            receivers.finished("a", Finished::Succeeded { duration_ms }, Uptime(0));
            let claimed = limits(&receivers, &waiting, at(0), 5_000);
            assert_eq!(claimed, [("a".into(), unfinished)], "{duration_ms} ms");
        }
    }

    #[test]
    fn five_consecutive_failures_pause_a_receiver_and_a_successful_probe_resumes_it() {
        let waiting = [receiver("dead", NOW)];
        let receivers = paused(&waiting);
        assert!(receivers.is_paused("dead", Uptime(0)));
        let wanted = receivers.wanted(waiting.to_vec(), at(0), 100);
        assert!(wanted.claims.is_empty());
        assert_eq!(wanted.next_due, Some(NOW.plus_ms(FIRST_PAUSE_MS)));
        assert_eq!(limits(&receivers, &waiting, at(FIRST_PAUSE_MS), 100), [("dead".into(), 1)], "one probe");
        take(&receivers, "dead", 1);
        receivers.finished("dead", FAILED, Uptime(FIRST_PAUSE_MS));
        let again = 3 * FIRST_PAUSE_MS;
        assert!(receivers.is_paused("dead", Uptime(again - 1)), "twice as long");
        assert_eq!(limits(&receivers, &waiting, at(again), 100), [("dead".into(), 1)]);
        take(&receivers, "dead", 1);
        receivers.finished("dead", Finished::Succeeded { duration_ms: 900 }, Uptime(again));
        assert_eq!(limits(&receivers, &waiting, at(again), 100), [("dead".into(), 8)]);
    }

    #[test]
    fn a_pause_does_not_get_longer_when_the_clock_is_set_back() {
        let waiting = [receiver("dead", Millis(0))];
        let receivers = paused(&waiting);
        let set_back = |ms| Now { wall: Millis(ms), uptime: Uptime(ms) };
        let wanted = receivers.wanted(waiting.to_vec(), set_back(0), 100);
        assert_eq!((wanted.claims.len(), wanted.next_due), (0, Some(Millis(FIRST_PAUSE_MS))));
        assert_eq!(limits(&receivers, &waiting, set_back(FIRST_PAUSE_MS), 100), [("dead".into(), 1)]);
    }

    #[test]
    fn a_receiver_can_ask_for_a_pause_of_limited_length() {
        let receivers = Receivers::new(8);
        let waiting = [receiver("busy", NOW)];
        limits(&receivers, &waiting, at(0), 100);
        take(&receivers, "busy", 2);
        receivers.finished("busy", Finished::Failed { pause_ms: Some(60_000) }, Uptime(0));
        assert!(receivers.is_paused("busy", Uptime(59_999)));
        assert!(!receivers.is_paused("busy", Uptime(60_000)));
        receivers.finished("busy", Finished::Failed { pause_ms: Some(i64::MAX) }, Uptime(60_000));
        assert!(receivers.is_paused("busy", Uptime(60_000 + LONGEST_REQUESTED_PAUSE_MS - 1)));
        assert!(!receivers.is_paused("busy", Uptime(60_000 + LONGEST_REQUESTED_PAUSE_MS)));
    }

    #[test]
    fn idle_receivers_are_forgotten() {
        let receivers = Receivers::new(8);
        limits(&receivers, &[receiver("a", NOW)], at(0), 100);
        assert_eq!(receivers.known.lock().len(), 1);
        limits(&receivers, &[], at(0), 100);
        assert_eq!(receivers.known.lock().len(), 0);
    }
}
