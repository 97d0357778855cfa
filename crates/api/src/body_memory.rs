//! Limits the memory that JSON bodies use together. A body reserves memory in steps while it arrives, and keeps it until
//! it has been submitted. No key and no project can reserve all of it.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use auris_domain::error::{ApiError, Checked, ErrorCode};
use auris_domain::id::ProjectId;
use auris_service::access::CredentialId;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Memory is reserved in steps of this size.
const STEP_BYTES: usize = 1024 * 1024;
/// The first bytes of each body that need no reservation. A request that is not larger never waits for memory.
const FREE_BYTES: usize = 64 * 1024;
/// Maximum total size of the bodies in memory, as bytes on the wire. Parsed JSON takes several times as much.
const TOTAL_STEPS: usize = 512;
/// Maximum for the bodies of one project. The rest stays available to other projects.
const PROJECT_STEPS: usize = 384;
/// Maximum for the bodies of one key: one body of the largest size that the API accepts.
const KEY_STEPS: usize = 256;
/// How long a body waits for memory before its request is refused with 503. Short, because its client is waiting too.
const WAIT: Duration = Duration::from_secs(5);

/// The memory for request bodies. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct BodyMemory(Arc<Pool>);

#[derive(Debug, Default)]
struct Pool {
    used: Mutex<UsedSteps>,
    released: Notify,
}

#[derive(Debug, Default)]
struct UsedSteps {
    total: usize,
    projects: HashMap<ProjectId, usize>,
    keys: HashMap<CredentialId, usize>,
}

/// The key and the project that a body counts for.
#[derive(Debug)]
struct Owner {
    key: CredentialId,
    project: ProjectId,
}

/// The memory that one body uses; released on drop.
#[derive(Debug)]
pub(crate) struct Reservation {
    pool: Arc<Pool>,
    owner: Owner,
    steps: usize,
}

impl BodyMemory {
    /// An empty reservation for a body that was sent with this key.
    pub(crate) fn reservation(&self, key: CredentialId, project: &ProjectId) -> Reservation {
        let owner = Owner { key, project: project.clone() };
        Reservation { pool: Arc::clone(&self.0), owner, steps: 0 }
    }
}

impl Reservation {
    /// Makes the reservation large enough for a body of this size. Waits if there is no memory; if none is released in
    /// time, fails and releases the whole reservation.
    pub(crate) async fn grow(&mut self, bytes: usize) -> Checked<()> {
        let missing = bytes.saturating_sub(FREE_BYTES).div_ceil(STEP_BYTES).saturating_sub(self.steps);
        if missing == 0 {
            return Ok(());
        }
        let waited = tokio::time::timeout(WAIT, self.wait_for(missing)).await;
        if waited.is_ok() || self.take_or_release(missing) {
            return Ok(());
        }
        self.pool.released.notify_waiters();
        Err(overloaded())
    }

    async fn wait_for(&mut self, missing: usize) {
        let pool = Arc::clone(&self.pool);
        loop {
            // Created before the attempt, so that no release after the attempt is missed.
            let released = pool.released.notified();
            if pool.used.lock().take(&self.owner, missing) {
                self.steps += missing;
                return;
            }
            released.await;
        }
    }

    /// Tries for the last time, and releases everything if that fails. Both happen under one lock: if several bodies
    /// wait for memory that the others hold, the first one to give up releases what the next one needs.
    fn take_or_release(&mut self, missing: usize) -> bool {
        let mut used = self.pool.used.lock();
        let is_taken = used.take(&self.owner, missing);
        if is_taken {
            self.steps += missing;
        } else {
            used.release(&self.owner, std::mem::take(&mut self.steps));
        }
        is_taken
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.steps > 0 {
            self.pool.used.lock().release(&self.owner, self.steps);
            self.pool.released.notify_waiters();
        }
    }
}

impl UsedSteps {
    /// Takes steps if they are within all three limits.
    fn take(&mut self, owner: &Owner, steps: usize) -> bool {
        let project = self.projects.get(&owner.project).copied().unwrap_or_default() + steps;
        let key = self.keys.get(&owner.key).copied().unwrap_or_default() + steps;
        let fits = self.total + steps <= TOTAL_STEPS && project <= PROJECT_STEPS && key <= KEY_STEPS;
        if fits {
            self.total += steps;
            self.projects.insert(owner.project.clone(), project);
            self.keys.insert(owner.key.clone(), key);
        }
        fits
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

fn overloaded() -> ApiError {
    let message = "The service is reading too many large requests; try again in a few seconds.";
    ApiError::new(ErrorCode::EngineOverloaded, message).retry_after(5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use auris_domain::id::KeyId;
    use auris_domain::limits;
    use auris_domain::time::Millis;
    use futures::FutureExt;
    use futures::future::join_all;

    fn key() -> CredentialId {
        CredentialId::Key(KeyId::generate(Millis(0)))
    }

    fn project() -> ProjectId {
        ProjectId::generate(Millis(0))
    }

    fn of_new_project(memory: &BodyMemory) -> Reservation {
        memory.reservation(key(), &project())
    }

    /// The size of a body that needs this number of steps.
    fn size(steps: usize) -> usize {
        steps * STEP_BYTES + FREE_BYTES
    }

    #[tokio::test(start_paused = true)]
    async fn the_largest_body_fits_the_share_of_its_key() {
        let mut body = of_new_project(&BodyMemory::default());
        body.grow(limits::ANALYSIS_BODY_BYTES).await.unwrap();
        assert_eq!(body.steps, KEY_STEPS);
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_and_a_project_have_shares_and_other_projects_the_rest() {
        let memory = BodyMemory::default();
        let (one_key, one_project) = (key(), project());
        let mut first = memory.reservation(one_key.clone(), &one_project);
        first.grow(size(KEY_STEPS)).await.unwrap();
        let mut same_key = memory.reservation(one_key.clone(), &one_project);
        assert_eq!(same_key.grow(size(1)).await.unwrap_err().code, ErrorCode::EngineOverloaded);
        let mut same_project = memory.reservation(key(), &one_project);
        same_project.grow(size(PROJECT_STEPS - KEY_STEPS)).await.unwrap();
        let mut third = memory.reservation(key(), &one_project);
        assert!(third.grow(size(1)).await.is_err());
        let mut other_project = of_new_project(&memory);
        other_project.grow(size(TOTAL_STEPS - PROJECT_STEPS)).now_or_never().unwrap().unwrap();
        assert_eq!(memory.0.used.lock().total, TOTAL_STEPS);
    }

    /// Reservations of two projects that together take all memory.
    async fn fill(memory: &BodyMemory) -> [Reservation; 2] {
        let mut all = [of_new_project(memory), of_new_project(memory)];
        for half in &mut all {
            half.grow(size(TOTAL_STEPS / 2)).await.unwrap();
        }
        all
    }

    #[tokio::test(start_paused = true)]
    async fn a_small_body_never_waits() {
        let memory = BodyMemory::default();
        let _all = fill(&memory).await;
        let mut small = of_new_project(&memory);
        small.grow(limits::ENDPOINT_BODY_BYTES).now_or_never().unwrap().unwrap();
        assert_eq!(small.grow(limits::ENDPOINT_BODY_BYTES + 1).await.unwrap_err().retry_after, Some(5));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_waits_until_memory_is_released() {
        let memory = BodyMemory::default();
        let all = fill(&memory).await;
        let mut body = of_new_project(&memory);
        let (grown, ()) = tokio::join!(body.grow(size(1)), async { drop(all) });
        grown.unwrap();
        assert_eq!(memory.0.used.lock().total, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn bodies_that_hold_each_others_memory_do_not_block_or_all_fail() {
        const STEPS: usize = 200;
        let memory = BodyMemory::default();
        // Only two of these bodies fit. All four arrive at the same rate, so each holds a quarter when memory is full.
        let bodies = (0..4).map(|_| {
            let mut body = of_new_project(&memory);
            tokio::spawn(async move {
                for step in 1..=STEPS {
                    body.grow(size(step)).await?;
                    tokio::task::yield_now().await;
                }
                Ok::<(), ApiError>(())
            })
        });
        let results = join_all(bodies.collect::<Vec<_>>()).await;
        let completed = results.iter().filter(|result| result.as_ref().unwrap().is_ok()).count();
        assert_eq!(completed, 2);
        let used = memory.0.used.lock();
        assert!(used.total == 0 && used.projects.is_empty() && used.keys.is_empty(), "{used:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_is_refused_releases_its_memory_at_once() {
        let memory = BodyMemory::default();
        let (one_key, one_project) = (key(), project());
        let mut body = memory.reservation(one_key.clone(), &one_project);
        body.grow(size(10)).await.unwrap();
        let mut rest = memory.reservation(one_key.clone(), &one_project);
        rest.grow(size(KEY_STEPS - 10)).await.unwrap();
        assert!(body.grow(size(11)).await.is_err());
        assert_eq!(memory.0.used.lock().total, KEY_STEPS - 10);
    }
}
