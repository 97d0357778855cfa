//! Steps of workers that died: found by their leases, and put back into the queue.

use std::collections::HashMap;

use auris_domain::id::JobId;
use auris_domain::machine::{Command, Loss, StepHold};
use auris_domain::time::{Millis, Uptime};
use auris_store::LostStep;

use crate::Service;
use crate::error::Outcome;
use crate::jobs::Effect;

/// Maximum number of lost steps collected at once.
const LOST_BATCH: u32 = 100;
/// How much further than its own leases this node expects another's lease to reach, because clocks differ.
const CLOCK_DIFFERENCE_MS: i64 = 5_000;

/// Collects lost steps.
pub(super) struct LostSteps {
    service: Service,
    implausible: ImplausibleLeases,
}

impl LostSteps {
    pub(super) fn new(service: Service) -> Self {
        Self { service, implausible: ImplausibleLeases::default() }
    }

    pub(super) async fn collect(&mut self) -> Outcome<()> {
        let service = self.service.clone();
        let now = service.clock().now();
        let mut lost = service.store().lost_steps(now, LOST_BATCH).await?;
        let lease_ms = service.settings().jobs.lease.as_millis() as i64;
        let horizon = now.plus_ms(lease_ms.saturating_add(CLOCK_DIFFERENCE_MS));
        let leased = service.store().steps_leased_after(horizon, LOST_BATCH).await?;
        lost.extend(self.implausible.expired(leased, service.clock().uptime(), lease_ms));
        for step in lost {
            service.release_lost(&step.job_id, step.hold, step.loss).await;
        }
        Ok(())
    }
}

/// Leases that end later than a lease that is granted now. Either this node's clock was set back since, or another node's
/// clock is ahead, so their end times mean nothing. Such a lease has expired if nobody has renewed it for the duration of a
/// lease, measured with a clock that cannot be set.
#[derive(Default)]
struct ImplausibleLeases(HashMap<(JobId, StepHold), ImplausibleLease>);

struct ImplausibleLease {
    until: Millis,
    seen_at: Uptime,
}

impl ImplausibleLeases {
    /// Those of the leases that have been seen unchanged for as long as a lease lasts.
    fn expired(&mut self, leased: Vec<(LostStep, Millis)>, now: Uptime, lease_ms: i64) -> Vec<LostStep> {
        let mut seen = HashMap::with_capacity(leased.len());
        let mut expired = Vec::new();
        for (step, until) in leased {
            let key = (step.job_id.clone(), step.hold);
            let before = self.0.get(&key).filter(|before| before.until == until);
            let seen_at = before.map_or(now, |before| before.seen_at);
            seen.insert(key, ImplausibleLease { until, seen_at });
            if now.since(seen_at) > lease_ms {
                expired.push(step);
            }
        }
        self.0 = seen;
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

    const LEASE_MS: i64 = 1_000;

    fn step() -> LostStep {
        let job_id = JobId::generate(Millis(0));
        LostStep { job_id, hold: StepHold::from_stored(0, 1), loss: Loss::Alone }
    }

    #[test]
    fn an_implausible_lease_that_nobody_renews_expires() {
        let (mut leases, step) = (ImplausibleLeases::default(), step());
        let until = Millis(3_600_000);
        for now in [0, 400, 1_000] {
            assert_eq!(leases.expired(vec![(step.clone(), until)], Uptime(now), LEASE_MS), []);
        }
        assert_eq!(leases.expired(vec![(step.clone(), until)], Uptime(1_001), LEASE_MS), [step]);
    }

    #[test]
    fn an_implausible_lease_of_a_worker_that_lives_does_not_expire() {
        let (mut leases, step) = (ImplausibleLeases::default(), step());
        for now in 0..20 {
            let leased = vec![(step.clone(), Millis(3_600_000 + now * 900))];
            assert_eq!(leases.expired(leased, Uptime(now * 900), LEASE_MS), []);
        }
        assert_eq!(leases.expired(vec![], Uptime(99_999), LEASE_MS), []);
        assert!(leases.0.is_empty(), "steps that ended are forgotten");
    }
}
