//! One slot for each project: of those who want to do the same at once, at most one of a project does it or waits for it
//! behind other projects.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use auris_domain::id::ProjectId;
use parking_lot::Mutex;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

/// The slots of all projects that use theirs. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct ProjectSlots(Arc<Mutex<HashMap<ProjectId, Weak<Semaphore>>>>);

impl ProjectSlots {
    /// Waits for the project's slot. It is free again when the permit is dropped.
    pub async fn acquire(&self, project: &ProjectId) -> Result<OwnedSemaphorePermit, AcquireError> {
        self.slot_of(project).acquire_owned().await
    }

    /// The number of projects that are remembered.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.0.lock().len()
    }

    fn slot_of(&self, project: &ProjectId) -> Arc<Semaphore> {
        let mut projects = self.0.lock();
        if let Some(slot) = projects.get(project).and_then(Weak::upgrade) {
            return slot;
        }
        projects.retain(|_, slot| slot.strong_count() > 0);
        let slot = Arc::new(Semaphore::new(1));
        projects.insert(project.clone(), Arc::downgrade(&slot));
        slot
    }
}
