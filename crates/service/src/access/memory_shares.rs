//! Limits the memory that something, such as request bodies or responses, uses in this process. A reservation grows in
//! steps; no key and no project can reserve all memory.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use auris_domain::id::ProjectId;
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::caller::CredentialId;

/// Memory is reserved in steps of this size.
const STEP_BYTES: usize = 1024 * 1024;
/// The first bytes of each reservation are not counted. What is not larger never waits for memory.
const FREE_BYTES: usize = 64 * 1024;
/// How long a reservation waits for memory. Short, because a client is waiting too.
const WAIT: Duration = Duration::from_secs(5);

/// Maximum sizes in steps of 1 MiB.
#[derive(Debug, Clone, Copy)]
pub struct ShareLimits {
    pub total: usize,
    /// The rest stays available to other projects.
    pub project: usize,
    pub key: usize,
}

/// The memory for one purpose. Cheap to clone.
#[derive(Clone)]
pub struct MemoryShares(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    limits: ShareLimits,
    used: Mutex<UsedSteps>,
    released: Notify,
}

#[derive(Debug, Default)]
struct UsedSteps {
    total: usize,
    projects: HashMap<ProjectId, usize>,
    keys: HashMap<CredentialId, usize>,
}

/// The key and the project that a reservation counts for.
#[derive(Debug)]
struct Owner {
    key: CredentialId,
    project: ProjectId,
}

/// Reserved memory; released on drop.
#[derive(Debug)]
pub struct MemoryReservation {
    pool: Arc<Pool>,
    owner: Owner,
    steps: usize,
}

/// No memory was released in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoMemory;

impl MemoryShares {
    pub fn new(limits: ShareLimits) -> Self {
        Self(Arc::new(Pool { limits, used: Mutex::default(), released: Notify::new() }))
    }

    /// An empty reservation for this key.
    pub fn reservation(&self, key: CredentialId, project: &ProjectId) -> MemoryReservation {
        let owner = Owner { key, project: project.clone() };
        MemoryReservation { pool: Arc::clone(&self.0), owner, steps: 0 }
    }
}

impl MemoryReservation {
    /// Makes the reservation large enough for this number of bytes. Waits if there is no memory; if none is released in
    /// time, fails and releases the whole reservation. More than the share of a key counts as the whole share.
    pub async fn grow(&mut self, bytes: usize) -> Result<(), NoMemory> {
        let missing = self.steps_for(bytes).min(self.pool.limits.key).saturating_sub(self.steps);
        if missing == 0 {
            return Ok(());
        }
        let waited = tokio::time::timeout(WAIT, self.wait_for(missing)).await;
        if waited.is_ok() || self.take_or_release(missing) {
            return Ok(());
        }
        self.pool.released.notify_waiters();
        Err(NoMemory)
    }

    /// Counts bytes that are in memory already, whether they are within the limits or not.
    pub fn count(&mut self, bytes: usize) {
        let missing = self.steps_for(bytes).saturating_sub(self.steps);
        self.pool.used.lock().add(&self.owner, missing);
        self.steps += missing;
    }

    /// Releases what is not needed for this number of bytes.
    pub fn shrink(&mut self, bytes: usize) {
        let excess = self.steps.saturating_sub(self.steps_for(bytes));
        if excess > 0 {
            self.steps -= excess;
            self.pool.used.lock().release(&self.owner, excess);
            self.pool.released.notify_waiters();
        }
    }

    fn steps_for(&self, bytes: usize) -> usize {
        bytes.saturating_sub(FREE_BYTES).div_ceil(STEP_BYTES)
    }

    async fn wait_for(&mut self, missing: usize) {
        let pool = Arc::clone(&self.pool);
        loop {
            // Created before the attempt, so that no release after the attempt is missed.
            let released = pool.released.notified();
            if pool.used.lock().take(&self.owner, missing, pool.limits) {
                self.steps += missing;
                return;
            }
            released.await;
        }
    }

    /// Tries for the last time, and releases everything if that fails. Both happen under one lock: if several
    /// reservations wait for memory that the others hold, the first one to give up releases what the next one needs.
    fn take_or_release(&mut self, missing: usize) -> bool {
        let mut used = self.pool.used.lock();
        let is_taken = used.take(&self.owner, missing, self.pool.limits);
        if is_taken {
            self.steps += missing;
        } else {
            used.release(&self.owner, std::mem::take(&mut self.steps));
        }
        is_taken
    }
}

impl Drop for MemoryReservation {
    fn drop(&mut self) {
        if self.steps > 0 {
            self.pool.used.lock().release(&self.owner, self.steps);
            self.pool.released.notify_waiters();
        }
    }
}

impl UsedSteps {
    /// Takes steps if they are within all three limits.
    fn take(&mut self, owner: &Owner, steps: usize, limits: ShareLimits) -> bool {
        let project = self.projects.get(&owner.project).copied().unwrap_or_default() + steps;
        let key = self.keys.get(&owner.key).copied().unwrap_or_default() + steps;
        let fits = self.total + steps <= limits.total && project <= limits.project && key <= limits.key;
        if fits {
            self.add(owner, steps);
        }
        fits
    }

    fn add(&mut self, owner: &Owner, steps: usize) {
        if steps > 0 {
            self.total += steps;
            *self.projects.entry(owner.project.clone()).or_default() += steps;
            *self.keys.entry(owner.key.clone()).or_default() += steps;
        }
    }

    fn release(&mut self, owner: &Owner, steps: usize) {
        self.total -= steps;
        subtract(&mut self.projects, &owner.project, steps);
        subtract(&mut self.keys, &owner.key, steps);
    }
}

fn subtract<K: Hash + Eq>(shares: &mut HashMap<K, usize>, id: &K, steps: usize) {
    if let Some(share) = shares.get_mut(id) {
        *share -= steps;
        if *share == 0 {
            shares.remove(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auris_domain::id::KeyId;
    use auris_domain::time::Millis;
    use futures::FutureExt;
    use futures::future::join_all;

    const LIMITS: ShareLimits = ShareLimits { total: 512, project: 384, key: 256 };

    fn shares() -> MemoryShares {
        MemoryShares::new(LIMITS)
    }

    fn key() -> CredentialId {
        CredentialId::Key(KeyId::generate(Millis(0)))
    }

    fn project() -> ProjectId {
        ProjectId::generate(Millis(0))
    }

    fn of_new_project(memory: &MemoryShares) -> MemoryReservation {
        memory.reservation(key(), &project())
    }

    /// A size that needs this number of steps.
    fn size(steps: usize) -> usize {
        steps * STEP_BYTES + FREE_BYTES
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_and_a_project_have_shares_and_other_projects_the_rest() {
        let memory = shares();
        let (one_key, one_project) = (key(), project());
        let mut first = memory.reservation(one_key.clone(), &one_project);
        first.grow(size(LIMITS.key)).await.unwrap();
        let mut same_key = memory.reservation(one_key.clone(), &one_project);
        assert_eq!(same_key.grow(size(1)).await, Err(NoMemory));
        let mut same_project = memory.reservation(key(), &one_project);
        same_project.grow(size(LIMITS.project - LIMITS.key)).await.unwrap();
        let mut third = memory.reservation(key(), &one_project);
        assert!(third.grow(size(1)).await.is_err());
        let mut other_project = of_new_project(&memory);
        other_project.grow(size(LIMITS.total - LIMITS.project)).now_or_never().unwrap().unwrap();
        assert_eq!(memory.0.used.lock().total, LIMITS.total);
    }

    #[tokio::test(start_paused = true)]
    async fn more_than_the_share_of_a_key_counts_as_the_whole_share() {
        let memory = shares();
        let mut large = of_new_project(&memory);
        large.grow(size(2 * LIMITS.total)).now_or_never().unwrap().unwrap();
        assert_eq!(memory.0.used.lock().total, LIMITS.key);
        large.shrink(size(3));
        assert_eq!(memory.0.used.lock().total, 3);
        large.shrink(0);
        assert!(memory.0.used.lock().keys.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_counted_without_a_limit_keeps_others_from_the_memory() {
        let memory = shares();
        let mut counted = of_new_project(&memory);
        counted.count(size(2 * LIMITS.total));
        let mut other = of_new_project(&memory);
        assert!(other.grow(size(1)).await.is_err());
        drop(counted);
        other.grow(size(1)).await.unwrap();
    }

    /// Reservations of two projects that together take all memory.
    async fn fill(memory: &MemoryShares) -> [MemoryReservation; 2] {
        let mut all = [of_new_project(memory), of_new_project(memory)];
        for half in &mut all {
            half.grow(size(LIMITS.total / 2)).await.unwrap();
        }
        all
    }

    #[tokio::test(start_paused = true)]
    async fn a_small_reservation_never_waits() {
        let memory = shares();
        let _all = fill(&memory).await;
        let mut small = of_new_project(&memory);
        small.grow(FREE_BYTES).now_or_never().unwrap().unwrap();
        assert_eq!(small.grow(FREE_BYTES + 1).await, Err(NoMemory));
    }

    #[tokio::test(start_paused = true)]
    async fn a_reservation_waits_until_memory_is_released() {
        let memory = shares();
        let all = fill(&memory).await;
        let mut one = of_new_project(&memory);
        let (grown, ()) = tokio::join!(one.grow(size(1)), async { drop(all) });
        grown.unwrap();
        assert_eq!(memory.0.used.lock().total, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn reservations_that_hold_each_others_memory_do_not_block_or_all_fail() {
        const STEPS: usize = 200;
        let memory = shares();
        // Only two of these fit. All four grow at the same rate, so each holds a quarter when memory is full.
        let all = (0..4).map(|_| {
            let mut one = of_new_project(&memory);
            tokio::spawn(async move {
                for step in 1..=STEPS {
                    one.grow(size(step)).await?;
                    tokio::task::yield_now().await;
                }
                Ok::<(), NoMemory>(())
            })
        });
        let results = join_all(all.collect::<Vec<_>>()).await;
        let completed = results.iter().filter(|result| result.as_ref().unwrap().is_ok()).count();
        assert_eq!(completed, 2);
        let used = memory.0.used.lock();
        assert!(used.total == 0 && used.projects.is_empty() && used.keys.is_empty(), "{used:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_reservation_that_fails_releases_its_memory_at_once() {
        let memory = shares();
        let (one_key, one_project) = (key(), project());
        let mut one = memory.reservation(one_key.clone(), &one_project);
        one.grow(size(10)).await.unwrap();
        let mut rest = memory.reservation(one_key.clone(), &one_project);
        rest.grow(size(LIMITS.key - 10)).await.unwrap();
        assert!(one.grow(size(11)).await.is_err());
        assert_eq!(memory.0.used.lock().total, LIMITS.key - 10);
    }
}
