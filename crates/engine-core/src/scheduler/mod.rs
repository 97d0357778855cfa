//! One thread pool for all models. Work is queued in small items: synchronous calls first, then fairly between projects.
//!
//! Most items use one thread. An exclusive item computes on the threads of its own library, so it gets the whole pool:
//! it starts when the running items are done, and no other item starts while it runs.

mod fair_queue;
mod queues;
#[cfg(test)]
mod tests;
mod ticket;
mod worker;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::{CallContext, EngineError, Priority, low_priority};
pub use fair_queue::FairQueue;
use queues::{Item, Queues, Shared, Width};
pub use ticket::{Reply, Ticket};
use worker::Work;
pub use worker::Worker;

/// The thread pool.
pub struct Scheduler {
    shared: Arc<Shared<Work>>,
    threads: usize,
}

impl Scheduler {
    /// Starts `threads` workers. At most `synchronous_calls` synchronous calls are admitted at the same time.
    pub fn new(threads: usize, synchronous_calls: usize) -> Self {
        let shared = Arc::new(Shared::new(Queues::new(threads), synchronous_calls));
        for number in 0..threads {
            let worker = Worker::new(shared.clone());
            let thread = std::thread::Builder::new().name(format!("engine-{number}"));
            let work = move || {
                low_priority::lower_priority();
                worker.work();
            };
            if let Err(error) = thread.spawn(work) {
                tracing::error!(%error, "cannot start an engine thread");
            }
        }
        Self { shared, threads }
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Admits a call, or returns `Overloaded` immediately. Steps of jobs are always admitted: they wait in their own
    /// queue.
    pub fn admit(&self, context: &CallContext) -> Result<Admission, EngineError> {
        if context.priority == Priority::Synchronous {
            let mut queues = self.shared.queues.lock();
            if queues.synchronous_calls >= self.shared.max_synchronous_calls {
                return Err(EngineError::Overloaded);
            }
            queues.synchronous_calls += 1;
        }
        Ok(Admission { shared: self.shared.clone(), context: context.clone() })
    }

    /// Queues work for one thread that belongs to no single call and sends its results itself.
    pub fn spawn(&self, context: CallContext, work: impl FnOnce(&Worker) + Send + 'static) {
        let work: Work = Box::new(move |worker| {
            if catch_unwind(AssertUnwindSafe(|| work(worker))).is_err() {
                tracing::error!("engine work panicked");
            }
        });
        self.shared.push(Item { context, work, width: Width::OneThread });
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        self.shared.queues.lock().stopped = true;
        self.shared.changed.notify_all();
    }
}

/// The right of an admitted call to submit work. Dropping it admits the next call.
pub struct Admission {
    shared: Arc<Shared<Work>>,
    context: CallContext,
}

impl Admission {
    /// The call that was admitted.
    pub fn context(&self) -> &CallContext {
        &self.context
    }

    /// A ticket for a result that is computed elsewhere.
    pub fn ticket<T: Send + 'static>(&self) -> (Reply<T>, Ticket<T>) {
        Ticket::new(self.context.clone())
    }

    /// Queues work for one thread.
    pub fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Worker) -> Result<T, EngineError> + Send + 'static,
    ) -> Ticket<T> {
        self.queue(work, Width::OneThread)
    }

    /// Queues work that uses all threads at once. It should be short, because everything else waits for it.
    pub fn submit_exclusive<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Worker) -> Result<T, EngineError> + Send + 'static,
    ) -> Ticket<T> {
        self.queue(work, Width::AllThreads)
    }

    fn queue<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Worker) -> Result<T, EngineError> + Send + 'static,
        width: Width,
    ) -> Ticket<T> {
        let (reply, ticket) = self.ticket();
        let work: Work = Box::new(move |worker| run_and_reply(work, worker, reply));
        self.shared.push(Item { context: self.context.clone(), work, width });
        ticket
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        if self.context.priority == Priority::Synchronous {
            self.shared.queues.lock().synchronous_calls -= 1;
        }
    }
}

fn run_and_reply<T>(work: impl FnOnce(&Worker) -> Result<T, EngineError>, worker: &Worker, reply: Reply<T>) {
    let result = catch_unwind(AssertUnwindSafe(|| work(worker)));
    reply.send(result.unwrap_or_else(|_| Err(EngineError::internal("engine work panicked"))));
}
