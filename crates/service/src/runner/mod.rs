//! The runner: claims queued steps, runs each on its own task, and keeps their leases alive.

mod advance;
mod ending;
mod inputs;
mod lease;
mod operations;
mod work;

use std::sync::Arc;
use std::time::Duration;

use auris_domain::id::RequestId;
use auris_domain::machine::Command;
use auris_store::ClaimedStep;
use futures::future::BoxFuture;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub(crate) use advance::{Advanced, Effect};
pub(crate) use lease::{Held, StopReason};

use crate::Service;
use crate::error::Outcome;
use crate::metrics;

/// The most steps that are claimed in one transaction.
const CLAIM_BATCH: usize = 16;

/// How long steps may take to stop and be handed back at the end of the process.
const HAND_BACK: Duration = Duration::from_secs(5);

/// How a look at the queue ended.
enum Claimed {
    /// There may be more; the next look waits for a place.
    AllPlacesTaken,
    /// The next look waits for a wake-up.
    QueueEmptied,
}

/// One worker process.
pub struct Runner {
    service: Service,
    /// Names this process in leases; a new one each start, so that an old one's steps are not taken for its own.
    worker: String,
    held: Arc<Held>,
    places: Arc<Semaphore>,
    tasks: TaskTracker,
}

impl Runner {
    pub fn new(service: Service) -> Self {
        let concurrency = service.settings.jobs.concurrency;
        Self {
            worker: format!("worker_{}", RequestId::generate(service.clock.now())),
            service,
            held: Arc::default(),
            places: Arc::new(Semaphore::new(concurrency)),
            tasks: TaskTracker::new(),
        }
    }

    /// Runs until `stop`, then lets running steps end or hands them back.
    pub fn run(self, stop: CancellationToken) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let beat = CancellationToken::new();
            let lease = tokio::spawn(lease::keep(
                self.service.clone(),
                self.worker.clone(),
                Arc::clone(&self.held),
                beat.clone(),
            ));
            self.claim_until(&stop).await;
            self.drain().await;
            beat.cancel();
            let _ = lease.await;
        })
    }

    /// A claim that has begun is never broken off: what it took must be run or handed back.
    async fn claim_until(&self, stop: &CancellationToken) {
        let mut waiter = self.service.store.notify().steps_waiter();
        loop {
            let place = tokio::select! {
                place = Arc::clone(&self.places).acquire_owned() => place,
                () = stop.cancelled() => return,
            };
            let Ok(place) = place else { return };
            match self.claim(place).await {
                Ok(Claimed::AllPlacesTaken) => continue,
                Ok(Claimed::QueueEmptied) => {}
                Err(error) => tracing::warn!(%error, "cannot claim steps now"),
            }
            tokio::select! {
                () = waiter.changed(self.service.settings.jobs.poll) => {}
                () = stop.cancelled() => return,
            }
        }
    }

    /// Claims as many steps as there are free places, and starts them.
    async fn claim(&self, first: OwnedSemaphorePermit) -> Outcome<Claimed> {
        let mut permits = vec![first];
        while permits.len() < CLAIM_BATCH
            && let Ok(permit) = Arc::clone(&self.places).try_acquire_owned()
        {
            permits.push(permit);
        }
        let now = self.service.clock.now();
        let until = now.plus_ms(self.service.settings.jobs.lease.as_millis() as i64);
        let claimed = self.service.store.claim_steps(&self.worker, permits.len() as u32, now, until).await?;
        let filled = claimed.steps.len() == permits.len();
        for (step, permit) in claimed.steps.into_iter().zip(permits) {
            self.start(step, permit);
        }
        for (job, ordinal) in claimed.ending {
            self.service.advance(&job, Command::SkipOverBudget { ordinal }, Effect::default()).await?;
        }
        Ok(if filled { Claimed::AllPlacesTaken } else { Claimed::QueueEmptied })
    }

    fn start(&self, claimed: ClaimedStep, permit: OwnedSemaphorePermit) {
        let service = self.service.clone();
        // Given back when dropped, also by a panic: then the step counts as lost.
        let hold = Held::take(&self.held, &claimed);
        metrics::steps_running(self.held.len());
        self.tasks.spawn(async move {
            service.work(claimed, &hold.signal).await;
            drop((hold, permit));
        });
    }

    async fn drain(&self) {
        self.tasks.close();
        let patience = self.service.settings.jobs.drain;
        if tokio::time::timeout(patience, self.tasks.wait()).await.is_err() {
            tracing::info!(steps = self.held.len(), "handing running steps back");
            self.held.stop_all(StopReason::Drain);
            // What does not stop now is left to its lease.
            let _ = tokio::time::timeout(HAND_BACK, self.tasks.wait()).await;
        }
    }
}
