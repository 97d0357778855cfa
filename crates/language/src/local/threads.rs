//! The threads that a product is shared out between. They belong to this module, not to the scheduler: while they
//! compute, the scheduler gives all of its own to the one item that waits for them.

use auris_engine_core::EngineError;
use auris_kernels::Workers;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A pool of threads.
pub(super) struct Threads(ThreadPool);

impl Threads {
    pub(super) fn new(count: usize) -> Result<Self, EngineError> {
        let pool = ThreadPoolBuilder::new().num_threads(count).thread_name(|nth| format!("language-{nth}"));
        pool.build().map(Self).map_err(EngineError::internal)
    }

    /// Runs work that shares itself out between the threads.
    pub(super) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.0.install(work)
    }
}

impl Workers for Threads {
    fn count(&self) -> usize {
        self.0.current_num_threads()
    }

    fn share(&self, parts: usize, work: &(dyn Fn(usize) + Sync)) {
        self.0.install(|| (0..parts).into_par_iter().with_max_len(1).for_each(work));
    }
}
