//! A node that claims and finishes jobs while others create them, as `auris serve` does. graphile_worker is measured in
//! the same way.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use auris_domain::machine::ClaimedStep;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use super::store_queue::QueueWorker;

/// How long the node waits for a wake-up before it looks at an empty queue again.
const WAKE_UP_TIMEOUT: Duration = Duration::from_millis(100);
/// Maximum steps per claim; the service uses the same value.
const CLAIM_BATCH: usize = 16;

/// The jobs of one measurement.
struct Count {
    created: AtomicU64,
    finished: AtomicU64,
    /// The number of jobs to finish; the maximum as long as jobs are still being created.
    total: AtomicU64,
}

impl Default for Count {
    fn default() -> Self {
        Self { created: 0.into(), finished: 0.into(), total: u64::MAX.into() }
    }
}

/// Jobs per second of a node with as many slots as workers while as many callers create jobs, until all jobs are
/// finished.
pub(super) async fn rate_with_creators(workers: &[QueueWorker], time: Duration) -> anyhow::Result<f64> {
    let node = workers.first().context("a worker")?.clone();
    let count = Arc::new(Count::default());
    let mut creators = JoinSet::new();
    let started = Instant::now();
    for worker in workers {
        creators.spawn(create_until(worker.clone(), started + time, Arc::clone(&count)));
    }
    let consumer = tokio::spawn(consume(node, workers.len(), Arc::clone(&count)));
    while let Some(ended) = creators.join_next().await {
        ended??;
    }
    count.total.store(count.created.load(Ordering::SeqCst), Ordering::SeqCst);
    consumer.await??;
    Ok(count.finished.load(Ordering::SeqCst) as f64 / started.elapsed().as_secs_f64())
}

async fn create_until(worker: QueueWorker, end: Instant, count: Arc<Count>) -> anyhow::Result<()> {
    while Instant::now() < end {
        worker.create().await?;
        count.created.fetch_add(1, Ordering::SeqCst);
    }
    Ok(())
}

/// As in the service, one loop claims steps for all free slots, and the claimed steps are finished concurrently.
async fn consume(worker: QueueWorker, slots: usize, count: Arc<Count>) -> anyhow::Result<()> {
    let mut waiter = worker.store.wakeups().steps_waiter();
    let slots = Arc::new(Semaphore::new(slots));
    let mut finishing = JoinSet::new();
    while count.finished.load(Ordering::SeqCst) < count.total.load(Ordering::SeqCst) {
        let free = free_slots(&slots).await?;
        let claimed = worker.claim(free.len()).await?;
        let all_slots_used = claimed.len() == free.len();
        for (claimed, slot) in claimed.into_iter().zip(free) {
            finishing.spawn(finish(worker.clone(), claimed, slot, Arc::clone(&count)));
        }
        while let Some(ended) = finishing.try_join_next() {
            ended??;
        }
        if !all_slots_used {
            waiter.changed(WAKE_UP_TIMEOUT).await;
        }
    }
    Ok(())
}

/// Waits for a free slot, and takes all that are free, up to the size of a claim.
async fn free_slots(slots: &Arc<Semaphore>) -> Result<Vec<OwnedSemaphorePermit>, AcquireError> {
    let mut free = vec![Arc::clone(slots).acquire_owned().await?];
    while free.len() < CLAIM_BATCH
        && let Ok(slot) = Arc::clone(slots).try_acquire_owned()
    {
        free.push(slot);
    }
    Ok(free)
}

async fn finish(
    worker: QueueWorker,
    claimed: ClaimedStep,
    slot: OwnedSemaphorePermit,
    count: Arc<Count>,
) -> anyhow::Result<()> {
    worker.finish(claimed).await?;
    count.finished.fetch_add(1, Ordering::SeqCst);
    drop(slot);
    Ok(())
}
