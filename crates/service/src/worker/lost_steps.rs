//! Steps of workers that died: found by their leases, and put back into the queue.

use std::collections::HashMap;

use auris_domain::id::JobId;
use auris_domain::machine::{Command, Loss, StepHold};
use auris_domain::time::{Millis, Uptime};
use auris_store::LostStep;

use crate::Service;
use crate::error::Outcome;
use crate::jobs::Effect;

/// Maximum number of leases watched at once.
const WATCHED_BATCH: u32 = 1_000;
/// Maximum number of lost steps released at once.
const LOST_BATCH: usize = 100;
/// How much further than its own leases this node expects another's lease to reach, because clocks differ.
const CLOCK_DIFFERENCE_MS: i64 = 5_000;
/// A lease that has expired by this node's clock must also have been seen unchanged for this number of milliseconds,
/// because workers renew theirs every second. For leases of a few seconds, a quarter of their duration is enough, so that
/// they are released as soon as they expire.
const CONFIRMED_MS: i64 = 5_000;

/// Collects lost steps.
pub(super) struct LostSteps {
    service: Service,
    watched: WatchedLeases,
}

impl LostSteps {
    pub(super) fn new(service: Service) -> Self {
        Self { service, watched: WatchedLeases::default() }
    }

    pub(super) async fn collect(&mut self) -> Outcome<()> {
        let service = self.service.clone();
        let lease_ms = service.settings().jobs.lease.as_millis() as i64;
        let seen = Seen { now: service.clock().now(), uptime: service.clock().uptime(), lease_ms };
        let mut leased = service.store().steps_leased_until(seen.watched_until(), WATCHED_BATCH).await?;
        leased.extend(service.store().steps_leased_after(seen.horizon(), WATCHED_BATCH).await?);
        for step in self.watched.expired(leased, seen).into_iter().take(LOST_BATCH) {
            service.release_lost(&step.job_id, step.hold, step.loss).await;
        }
        Ok(())
    }
}

/// When leases were looked at, by both clocks, and how long a lease lasts.
#[derive(Debug, Clone, Copy)]
struct Seen {
    now: Millis,
    uptime: Uptime,
    lease_ms: i64,
}

impl Seen {
    /// Leases that end by then were not renewed for half of their duration. They are watched before they expire, so that
    /// they are released as soon as they do.
    fn watched_until(self) -> Millis {
        self.now.plus_ms(self.lease_ms / 2)
    }

    /// No lease that is granted now ends later.
    fn horizon(self) -> Millis {
        self.now.plus_ms(self.lease_ms.saturating_add(CLOCK_DIFFERENCE_MS))
    }

    /// Whether a lease has expired that was seen unchanged since `first`.
    fn is_expired(self, until: Millis, first: Uptime) -> bool {
        let unchanged_ms = self.uptime.since(first);
        if until <= self.now {
            unchanged_ms >= CONFIRMED_MS.min(self.lease_ms / 4)
        } else {
            until > self.horizon() && unchanged_ms > self.lease_ms
        }
    }
}

/// The leases that nobody seems to renew. The clocks of two nodes can differ, so the end of a lease alone proves little.
/// If the clock of this node is ahead, the leases of all other nodes seem to have expired: those that are renewed have
/// not. If it is behind or was set back, leases end later than any that is granted now: such a lease has expired when
/// nobody has renewed it for the duration of a lease, measured with a clock that cannot be set.
#[derive(Default)]
struct WatchedLeases(HashMap<(JobId, StepHold), WatchedLease>);

struct WatchedLease {
    until: Millis,
    /// Since when the lease is unchanged.
    first_seen: Uptime,
}

impl WatchedLeases {
    /// Those of the leases that have expired.
    fn expired(&mut self, leased: Vec<(LostStep, Millis)>, seen: Seen) -> Vec<LostStep> {
        let mut watched = HashMap::with_capacity(leased.len());
        let mut expired = Vec::new();
        for (step, until) in leased {
            let key = (step.job_id.clone(), step.hold);
            let before = self.0.get(&key).filter(|before| before.until == until);
            let first_seen = before.map_or(seen.uptime, |before| before.first_seen);
            watched.insert(key, WatchedLease { until, first_seen });
            if seen.is_expired(until, first_seen) {
                expired.push(step);
            }
        }
        self.0 = watched;
        expired
    }
}

impl Service {
    /// Puts a lost step back into the queue. A failure is only logged, so that it does not delay other steps.
    pub(super) async fn release_lost(&self, job: &JobId, hold: StepHold, loss: Loss) {
        let step = hold.ordinal();
        tracing::warn!(job.id = %job, step, ?loss, "a worker was lost; its step is released");
        if let Err(error) = self.apply_command(job, Command::Lose { hold, loss }, Effect::default()).await {
            tracing::error!(%error, job.id = %job, step, "cannot release a lost step now");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE_MS: i64 = 30_000;
    const HOUR_MS: i64 = 3_600_000;
    const NOW: Millis = Millis(1_794_700_800_000);

    fn step() -> LostStep {
        let job_id = JobId::generate(Millis(0));
        LostStep { job_id, hold: StepHold::from_stored(0, 1), loss: Loss::Alone }
    }

    /// Looks at a lease this long after the start, with a clock that is right.
    fn look(leases: &mut WatchedLeases, step: &LostStep, until: Millis, ms: i64) -> bool {
        let seen = Seen { now: NOW.plus_ms(ms), uptime: Uptime(ms), lease_ms: LEASE_MS };
        leases.expired(vec![(step.clone(), until)], seen) == [step.clone()]
    }

    #[test]
    fn a_lease_far_in_the_future_that_nobody_renews_expires() {
        let (mut leases, step) = (WatchedLeases::default(), step());
        let until = NOW.plus_ms(HOUR_MS);
        for ms in [0, 10_000, LEASE_MS] {
            assert!(!look(&mut leases, &step, until, ms));
        }
        assert!(look(&mut leases, &step, until, LEASE_MS + 1));
    }

    #[test]
    fn a_lease_far_in_the_future_of_a_worker_that_lives_does_not_expire() {
        let (mut leases, step) = (WatchedLeases::default(), step());
        for ms in (0..200_000).step_by(1_000) {
            assert!(!look(&mut leases, &step, NOW.plus_ms(HOUR_MS + ms), ms));
        }
        let seen = Seen { now: NOW, uptime: Uptime(200_000), lease_ms: LEASE_MS };
        assert_eq!(leases.expired(vec![], seen), []);
        assert!(leases.0.is_empty(), "steps that ended are forgotten");
    }

    #[test]
    fn a_lease_that_was_watched_expires_when_it_ends() {
        let (mut leases, step) = (WatchedLeases::default(), step());
        let until = NOW.plus_ms(LEASE_MS);
        for ms in (15_000..LEASE_MS).step_by(1_000) {
            assert!(!look(&mut leases, &step, until, ms));
        }
        assert!(look(&mut leases, &step, until, LEASE_MS));
    }

    #[test]
    fn a_lease_that_ended_before_it_was_seen_expires_after_some_seconds() {
        let (mut leases, step) = (WatchedLeases::default(), step());
        let until = NOW.plus_ms(-HOUR_MS);
        for ms in [0, 1_000, 4_000] {
            assert!(!look(&mut leases, &step, until, ms));
        }
        assert!(look(&mut leases, &step, until, 5_000));
    }

    #[test]
    fn to_a_clock_that_is_ahead_a_lease_that_is_renewed_does_not_expire() {
        let (mut leases, step) = (WatchedLeases::default(), step());
        for ms in (0..200_000).step_by(1_000) {
            // The worker renews its lease every two seconds, by a clock that is a minute behind.
            let renewed = NOW.plus_ms(ms - ms % 2_000 - 60_000 + LEASE_MS);
            assert!(!look(&mut leases, &step, renewed, ms));
        }
    }

    #[test]
    fn a_short_lease_expires_with_the_second_look() {
        let (mut leases, step) = (WatchedLeases::default(), step());
        let look = |leases: &mut WatchedLeases, ms| {
            let seen = Seen { now: NOW.plus_ms(ms), uptime: Uptime(ms), lease_ms: 3_000 };
            leases.expired(vec![(step.clone(), NOW.plus_ms(3_000))], seen).len()
        };
        assert_eq!([look(&mut leases, 2_400), look(&mut leases, 3_400)], [0, 1]);
    }
}
