//! The slots of a worker process: how many steps it may run at once.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The slots that a step occupies while it runs; free again when they are dropped.
pub(super) type OccupiedSlots = Vec<OwnedSemaphorePermit>;

/// The slots of this process. A project may use all regular ones while no other project waits. When they are occupied,
/// the extra ones are for projects that have nothing running, so that none waits until another's long steps end.
pub(super) struct Slots {
    regular: Arc<Semaphore>,
    extra: Arc<Semaphore>,
}

impl Slots {
    /// As many extra slots as regular ones, so that the load of a process stays bounded.
    pub(super) fn new(concurrency: usize) -> Self {
        Self { regular: Arc::new(Semaphore::new(concurrency)), extra: Arc::new(Semaphore::new(concurrency)) }
    }

    /// Up to `limit` free regular slots.
    pub(super) fn regular(&self, limit: usize) -> OccupiedSlots {
        occupy(&self.regular, limit)
    }

    /// Up to `limit` free extra slots.
    pub(super) fn extra(&self, limit: usize) -> OccupiedSlots {
        occupy(&self.extra, limit)
    }

    /// All free slots of both kinds: a step that runs alone keeps others from starting.
    pub(super) fn all(&self) -> OccupiedSlots {
        let mut slots = self.regular(usize::MAX);
        slots.extend(self.extra(usize::MAX));
        slots
    }

    pub(super) fn has_regular(&self) -> bool {
        self.regular.available_permits() > 0
    }
}

fn occupy(slots: &Arc<Semaphore>, limit: usize) -> OccupiedSlots {
    std::iter::from_fn(|| Arc::clone(slots).try_acquire_owned().ok()).take(limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_free_again_when_they_are_dropped() {
        let slots = Slots::new(3);
        let two = slots.regular(2);
        assert_eq!((two.len(), slots.regular(9).len()), (2, 1));
        let rest = slots.regular(9);
        assert!(!slots.has_regular());
        assert_eq!((slots.regular(9).len(), slots.extra(9).len()), (0, 3));
        drop((two, rest));
        assert_eq!(slots.regular(9).len(), 3);
    }

    #[test]
    fn a_step_that_runs_alone_occupies_everything() {
        let slots = Slots::new(2);
        let all = slots.all();
        assert_eq!(all.len(), 4);
        assert!(slots.regular(1).is_empty() && slots.extra(1).is_empty());
    }
}
