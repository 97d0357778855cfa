//! The runner: claims queued steps, runs each on its own task, and keeps their leases alive.

mod lease;
mod operations;
mod run_step;
mod step_outcome;

use std::sync::Arc;
use std::time::Duration;

use auris_domain::id::RequestId;
use auris_domain::machine::{ClaimedStep, Command};
use auris_domain::time::Millis;
use futures::future::BoxFuture;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use lease::{LeaseKeeper, RunningSteps, StopReason};

use crate::Service;
use crate::error::Outcome;
use crate::jobs::Effect;

/// Maximum number of steps claimed in one transaction.
const CLAIM_BATCH: usize = 16;

/// How long steps may take to stop and be handed back when the process ends.
const HAND_BACK: Duration = Duration::from_secs(5);

/// How a claim ended.
enum Claimed {
    /// There may be more steps; the next claim waits for a free slot.
    AllSlotsTaken,
    /// The queue is empty; the next claim waits for a wake-up.
    QueueEmptied,
}

/// One worker process.
pub struct Runner {
    service: Service,
    /// Names this process in leases. New at each start, so that a restarted process does not take the steps of the
    /// earlier one for its own.
    worker: String,
    running: Arc<RunningSteps>,
    slots: Arc<Semaphore>,
    tasks: TaskTracker,
}

impl Runner {
    pub fn new(service: Service) -> Self {
        let concurrency = service.settings().jobs.concurrency;
        Self {
            worker: format!("worker_{}", RequestId::generate(service.clock().now())),
            service,
            running: Arc::default(),
            slots: Arc::new(Semaphore::new(concurrency)),
            tasks: TaskTracker::new(),
        }
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
        loop {
            let slot = tokio::select! {
                slot = Arc::clone(&self.slots).acquire_owned() => slot,
                () = stop.cancelled() => return,
            };
            let Ok(slot) = slot else { return };
            match self.claim(slot).await {
                Ok(Claimed::AllSlotsTaken) => continue,
                Ok(Claimed::QueueEmptied) => {}
                Err(error) => tracing::warn!(%error, "cannot claim steps now"),
            }
            tokio::select! {
                () = waiter.changed(self.service.settings().jobs.poll) => {}
                () = stop.cancelled() => return,
            }
        }
    }

    /// Claims as many steps as there are free slots, and starts them.
    async fn claim(&self, first: OwnedSemaphorePermit) -> Outcome<Claimed> {
        let mut permits = vec![first];
        while permits.len() < CLAIM_BATCH
            && let Ok(permit) = Arc::clone(&self.slots).try_acquire_owned()
        {
            permits.push(permit);
        }
        let now = self.service.clock().now();
        let until = self.service.lease_end();
        let claimed =
            self.service.store().claim_steps(&self.worker, permits.len() as u32, now, until).await?;
        let filled = claimed.steps.len() == permits.len();
        for (step, permit) in claimed.steps.into_iter().zip(permits) {
            self.start(step, permit);
        }
        for (job, ordinal) in claimed.ending {
            self.service.apply_command(&job, Command::SkipOverBudget { ordinal }, Effect::default()).await?;
        }
        Ok(if filled { Claimed::AllSlotsTaken } else { Claimed::QueueEmptied })
    }

    fn start(&self, claimed: ClaimedStep, permit: OwnedSemaphorePermit) {
        let service = self.service.clone();
        // Dropped at the end, also after a panic: then the step counts as lost.
        let registration = RunningSteps::register(&self.running, &claimed);
        self.tasks.spawn(async move {
            service.run_step(claimed, &registration.signal).await;
            drop(registration);
            drop(permit);
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
