//! The worker: claims queued steps, runs each on its own task, and keeps their leases alive.

mod lease;
mod lost_steps;
mod operations;
mod run_step;
mod slots;
mod step_outcome;

use std::sync::Arc;
use std::time::Duration;

use auris_domain::id::{NodeId, RequestId};
use auris_domain::machine::{ClaimedStep, Command};
use auris_domain::time::Millis;
use auris_store::{Claims, StepWorker};
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use lease::{LeaseKeeper, RunningSteps, StopReason};
use slots::{OccupiedSlots, Slots};

use crate::Service;
use crate::error::Outcome;
use crate::jobs::Effect;

/// Maximum number of steps claimed in one transaction.
const CLAIM_BATCH: usize = 16;

/// How long steps may take to stop and be handed back when the process ends.
const HAND_BACK: Duration = Duration::from_secs(5);

/// When to claim again. Except for the last one, a wake-up leads to a claim in any case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NextClaim {
    /// There may be more steps, and there are free slots.
    Now,
    /// There may be more steps, but no free slot, or a step must be run alone.
    WhenStepEnds,
    /// The queue is empty.
    WhenWoken,
    /// A claim failed, or the blobs cannot be used: a step reads and writes them, so this process could not finish it.
    /// Wake-ups do not count, because each would lead to another failure.
    WhenPolling,
}

/// One worker process.
pub struct Worker {
    service: Service,
    /// Names this process in leases. New at each start, so that a restarted process does not take the steps of the
    /// earlier one for its own.
    worker: String,
    running: Arc<RunningSteps>,
    slots: Slots,
    tasks: TaskTracker,
}

impl Worker {
    pub fn new(service: Service) -> Self {
        let concurrency = service.settings().jobs.concurrency;
        Self {
            worker: format!("worker_{}", RequestId::generate(service.clock().now())),
            service,
            running: Arc::default(),
            slots: Slots::new(concurrency),
            tasks: TaskTracker::new(),
        }
    }

    /// Names the process in leases by its node, so that a step that runs shows where.
    pub fn on_node(self, node: &NodeId) -> Self {
        Self { worker: node.to_string(), ..self }
    }

    /// Runs until `stop`, then waits for running steps or hands them back.
    pub fn run(self, stop: CancellationToken) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let keeper = LeaseKeeper {
                service: self.service.clone(),
                worker: self.worker.clone(),
                running: Arc::clone(&self.running),
            };
            let stop_renewing = CancellationToken::new();
            let renewal = tokio::spawn(keeper.run(stop_renewing.clone()));
            self.claim_until(&stop).await;
            self.drain().await;
            stop_renewing.cancel();
            let _ = renewal.await;
        })
    }

    /// A claim is never interrupted: the steps that it took must be run or handed back.
    async fn claim_until(&self, stop: &CancellationToken) {
        let mut waiter = self.service.store().wakeups().steps_waiter();
        while let Some(has_blobs) = stop.run_until_cancelled(self.service.has_own_blobs()).await {
            let claimed = match has_blobs {
                Ok(true) => self.claim().await,
                Ok(false) => Ok(NextClaim::WhenPolling),
                Err(error) => Err(error.into()),
            };
            let next = claimed.unwrap_or_else(|error| {
                tracing::warn!(%error, "cannot claim steps now");
                NextClaim::WhenPolling
            });
            if next == NextClaim::Now {
                continue;
            }
            let poll = self.service.settings().jobs.poll;
            tokio::select! {
                () = waiter.changed(poll), if next != NextClaim::WhenPolling => {}
                () = tokio::time::sleep(poll), if next == NextClaim::WhenPolling => {}
                () = self.running.step_ended(), if next == NextClaim::WhenStepEnds => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Claims steps for the free slots and starts them.
    async fn claim(&self) -> Outcome<NextClaim> {
        let slots = self.slots.regular(CLAIM_BATCH);
        if slots.is_empty() {
            self.claim_extra().await?;
            return Ok(NextClaim::WhenStepEnds);
        }
        let limit = slots.len();
        let claims = self.service.store().claim_steps(self.as_worker(), limit as u32).await?;
        let is_filled = claims.steps.len() == limit;
        let waits = claims.alone_waits || claims.is_alone();
        self.start_all(claims, slots).await?;
        Ok(match (waits, is_filled) {
            (false, false) => NextClaim::WhenWoken,
            (false, true) if self.slots.has_regular() => NextClaim::Now,
            (true, _) | (false, true) => NextClaim::WhenStepEnds,
        })
    }

    /// Claims steps of projects that have nothing running, for the extra slots.
    async fn claim_extra(&self) -> Outcome<()> {
        let slots = self.slots.extra(CLAIM_BATCH);
        if slots.is_empty() {
            return Ok(());
        }
        let worker = self.as_worker();
        let claims = self.service.store().claim_for_idle_projects(worker, slots.len() as u32).await?;
        self.start_all(claims, slots).await
    }

    fn as_worker(&self) -> StepWorker<'_> {
        let lease_until = self.service.lease_end();
        let now = self.service.clock().now();
        StepWorker { name: &self.worker, running: self.running.len(), now, lease_until }
    }

    async fn start_all(&self, claims: Claims, mut slots: OccupiedSlots) -> Outcome<()> {
        for step in claims.steps {
            let mut own: OccupiedSlots = slots.pop().into_iter().collect();
            if step.step().runs_alone() {
                own.append(&mut slots);
                own.extend(self.slots.all());
            }
            self.start(step, own);
        }
        for (job, ordinal) in claims.ending {
            self.service.apply_command(&job, Command::SkipOverBudget { ordinal }, Effect::default()).await?;
        }
        Ok(())
    }

    fn start(&self, claimed: ClaimedStep, slots: OccupiedSlots) {
        let service = self.service.clone();
        // Dropped at the end, also after a panic: then the step counts as lost.
        let registration = RunningSteps::register(&self.running, &claimed);
        self.tasks.spawn(async move {
            service.run_step(claimed, &registration.signal).await;
            // The slots first: dropping the registration leads to the next claim.
            drop(slots);
            drop(registration);
        });
    }

    async fn drain(&self) {
        self.tasks.close();
        let drain = self.service.settings().jobs.drain;
        if tokio::time::timeout(drain, self.tasks.wait()).await.is_err() {
            tracing::info!(steps = self.running.len(), "handing running steps back");
            self.running.stop_all(StopReason::Drain);
            // A step that does not stop in time is lost when its lease expires.
            let _ = tokio::time::timeout(HAND_BACK, self.tasks.wait()).await;
        }
    }
}

impl Service {
    /// When a lease that is granted now expires.
    fn lease_end(&self) -> Millis {
        self.clock().now().plus_ms(self.settings().jobs.lease.as_millis() as i64)
    }
}
