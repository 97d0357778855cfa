//! The memory limit that loaded models and the work on them share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts what models and their work occupy.
#[derive(Debug)]
pub struct MemoryBudget {
    limit: u64,
    models: AtomicU64,
    work: AtomicU64,
}

impl MemoryBudget {
    pub fn new(limit: u64) -> Self {
        Self { limit, models: AtomicU64::new(0), work: AtomicU64::new(0) }
    }

    /// The bytes that are left.
    pub fn free(&self) -> u64 {
        let used = self.models.load(Ordering::Relaxed) + self.work.load(Ordering::Relaxed);
        self.limit.saturating_sub(used)
    }

    /// Counts work that begins now, even if it exceeds the limit: the caller decides by `free`.
    pub fn add_work(self: &Arc<Self>, bytes: u64) -> WorkMemory {
        self.work.fetch_add(bytes, Ordering::Relaxed);
        WorkMemory { budget: self.clone(), bytes }
    }

    /// Sets what all loaded models occupy.
    pub(crate) fn set_models(&self, bytes: u64) {
        self.models.store(bytes, Ordering::Relaxed);
    }
}

/// Memory that work occupies until this is dropped.
#[derive(Debug)]
pub struct WorkMemory {
    budget: Arc<MemoryBudget>,
    bytes: u64,
}

impl WorkMemory {
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for WorkMemory {
    fn drop(&mut self) {
        self.budget.work.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_and_work_share_the_limit_and_ended_work_frees_its_part() {
        let budget = Arc::new(MemoryBudget::new(100));
        budget.set_models(60);
        let work = budget.add_work(30);
        assert_eq!((budget.free(), work.bytes()), (10, 30));
        let more = budget.add_work(30);
        assert_eq!(budget.free(), 0);
        drop((work, more));
        assert_eq!(budget.free(), 40);
    }
}
