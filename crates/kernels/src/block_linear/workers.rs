//! How a product is shared out between threads. The threads belong to the caller.

/// Threads that take parts of a product.
pub trait Workers: Sync {
    /// The number of threads.
    fn count(&self) -> usize;

    /// Calls `work` once with each number below `parts`, on any threads, and returns when all calls have ended.
    fn share(&self, parts: usize, work: &(dyn Fn(usize) + Sync));
}

/// The thread of the caller.
#[derive(Debug, Clone, Copy)]
pub struct OneWorker;

impl Workers for OneWorker {
    fn count(&self) -> usize {
        1
    }

    fn share(&self, parts: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..parts).for_each(work);
    }
}
