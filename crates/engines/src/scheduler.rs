//! One pool of threads for all models; work is queued by piece, synchronous calls first, then fairly.
//!
//! Most pieces take one thread. A wide piece, which computes on threads of its own library, has all of them: it begins
//! when the others have ended theirs, and while it runs they rest.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::fair_queue::FairQueue;
use crate::{CallContext, EngineError, Priority};

/// How often a waiting caller looks whether it is still wanted.
const LOOK_EVERY: Duration = Duration::from_millis(20);

type Work = Box<dyn FnOnce(&Worker) + Send>;

struct Item {
    context: CallContext,
    work: Work,
}

struct Queues {
    synchronous: FairQueue<Item>,
    background: FairQueue<Item>,
    wide: FairQueue<Item>,
    /// Wide pieces and background ones take turns: so many of these are due before the next wide one.
    due: usize,
    threads: usize,
    /// Pieces of one thread that run.
    running: usize,
    /// A wide piece runs, or waits for the others to end.
    widened: bool,
    /// Synchronous calls that have a place.
    placed: usize,
    stopped: bool,
}

struct Shared {
    queues: Mutex<Queues>,
    ready: Condvar,
    places: usize,
}

impl Shared {
    /// A panic never happens while the lock is held, so a poisoned lock holds good data.
    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The pool.
pub(crate) struct Scheduler {
    shared: Arc<Shared>,
    threads: usize,
}

impl Scheduler {
    /// `threads` workers; at most `places` synchronous calls at once.
    pub(crate) fn new(threads: usize, places: usize) -> Self {
        let queues = Queues {
            synchronous: FairQueue::new(),
            background: FairQueue::new(),
            wide: FairQueue::new(),
            due: 0,
            threads,
            running: 0,
            widened: false,
            placed: 0,
            stopped: false,
        };
        let shared = Arc::new(Shared { queues: Mutex::new(queues), ready: Condvar::new(), places });
        for number in 0..threads {
            let worker = Worker { shared: shared.clone(), running: None };
            let named = std::thread::Builder::new().name(format!("engine-{number}"));
            if let Err(error) = named.spawn(move || worker.work()) {
                tracing::error!(%error, "cannot start an engine thread");
            }
        }
        Self { shared, threads }
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// A place for a call, or a refusal at once. Steps of jobs are never refused: they wait in their own queue.
    pub(crate) fn admit(&self, context: &CallContext) -> Result<Place, EngineError> {
        if context.priority == Priority::Synchronous {
            let mut queues = self.shared.queues();
            if queues.placed >= self.shared.places {
                return Err(EngineError::Overloaded);
            }
            queues.placed += 1;
        }
        Ok(Place { shared: self.shared.clone(), context: context.clone() })
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        self.shared.queues().stopped = true;
        self.shared.ready.notify_all();
    }
}

/// The right of one call to bring work; free again when it is dropped.
pub(crate) struct Place {
    shared: Arc<Shared>,
    context: CallContext,
}

impl Place {
    /// Queues a piece of work.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Worker) -> Result<T, EngineError> + Send + 'static,
    ) -> Ticket<T> {
        let queue = |queues: &mut Queues, context: &CallContext, item| {
            let queue = match context.priority {
                Priority::Synchronous => &mut queues.synchronous,
                Priority::Background => &mut queues.background,
            };
            queue.push(&context.project, &context.job, item);
        };
        self.queue(work, queue)
    }

    /// Queues a piece of work that uses all threads at once. It should be short: others wait for it.
    pub(crate) fn submit_wide<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Worker) -> Result<T, EngineError> + Send + 'static,
    ) -> Ticket<T> {
        let queue = |queues: &mut Queues, context: &CallContext, item| {
            queues.wide.push(&context.project, &context.job, item);
        };
        self.queue(work, queue)
    }

    fn queue<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Worker) -> Result<T, EngineError> + Send + 'static,
        push: impl FnOnce(&mut Queues, &CallContext, Item),
    ) -> Ticket<T> {
        let (sender, receiver) = sync_channel(1);
        let item = Item {
            context: self.context.clone(),
            work: Box::new(move |worker| answer(work, worker, &sender)),
        };
        push(&mut self.shared.queues(), &self.context, item);
        // All are woken: one may rest beside a wide piece that it is not its turn to end.
        self.shared.ready.notify_all();
        Ticket { receiver, context: self.context.clone() }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.context.priority == Priority::Synchronous {
            self.shared.queues().placed -= 1;
        }
    }
}

fn answer<T>(
    work: impl FnOnce(&Worker) -> Result<T, EngineError>,
    worker: &Worker,
    sender: &SyncSender<Result<T, EngineError>>,
) {
    let result = catch_unwind(AssertUnwindSafe(|| work(worker)))
        .unwrap_or_else(|_| Err(EngineError::internal("a piece of engine work panicked")));
    // The caller may be gone; then nobody wants the answer.
    let _ = sender.send(result);
}

/// A piece of work that will be answered.
pub(crate) struct Ticket<T> {
    receiver: Receiver<Result<T, EngineError>>,
    context: CallContext,
}

impl<T> Ticket<T> {
    /// Waits for the answer, or until nobody wants it.
    pub(crate) fn wait(self) -> Result<T, EngineError> {
        loop {
            self.context.check()?;
            match self.receiver.recv_timeout(LOOK_EVERY) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.context.check()?;
                    return Err(EngineError::internal("the engine threads are gone"));
                }
            }
        }
    }
}

/// One thread of the pool, as the work on it sees it.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    /// Whose work runs here.
    running: Option<CallContext>,
}

impl Worker {
    /// Ends work that nobody wants; lets synchronous pieces go before the rest of a background one.
    pub(crate) fn pause(&self) -> Result<(), EngineError> {
        let Some(context) = &self.running else { return Ok(()) };
        context.check()?;
        if context.priority == Priority::Background {
            while let Some(item) = self.next_synchronous() {
                self.run(item);
            }
        }
        Ok(())
    }

    fn next_synchronous(&self) -> Option<Item> {
        self.shared.queues().synchronous.pop()
    }

    fn work(&self) {
        while let Some((item, wide)) = self.next() {
            self.run(item);
            let mut queues = self.shared.queues();
            if wide {
                queues.widened = false;
            } else {
                queues.running -= 1;
            }
            let waited_for = wide || queues.widened;
            drop(queues);
            if waited_for {
                self.shared.ready.notify_all();
            }
        }
    }

    fn run(&self, item: Item) {
        // Dropping the work tells its caller.
        if !item.context.is_cancelled() {
            let worker = Self { shared: self.shared.clone(), running: Some(item.context) };
            (item.work)(&worker);
        }
    }

    /// The next piece, and whether it is a wide one, for which every other has ended.
    fn next(&self) -> Option<(Item, bool)> {
        let mut queues = self.shared.queues();
        loop {
            if queues.stopped {
                return None;
            }
            if !queues.widened
                && let Some((item, wide)) = queues.pop()
            {
                if wide {
                    self.rest_others(queues);
                } else {
                    queues.running += 1;
                }
                return Some((item, wide));
            }
            queues = self.shared.ready.wait(queues).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn rest_others(&self, mut queues: MutexGuard<'_, Queues>) {
        queues.widened = true;
        while queues.running > 0 && !queues.stopped {
            queues = self.shared.ready.wait(queues).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Queues {
    fn pop(&mut self) -> Option<(Item, bool)> {
        if let Some(item) = self.synchronous.pop() {
            return Some((item, false));
        }
        // As many as there are threads, so that none rests while the next wide piece waits for the last of them.
        if self.due > 0
            && let Some(item) = self.background.pop()
        {
            self.due -= 1;
            return Some((item, false));
        }
        if let Some(item) = self.wide.pop() {
            self.due = self.threads;
            return Some((item, true));
        }
        self.background.pop().map(|item| (item, false))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use tokio_util::sync::CancellationToken;

    use super::*;

    fn background(job: &str) -> CallContext {
        CallContext::background("project", job, CancellationToken::new())
    }

    #[test]
    fn a_full_house_refuses_at_once_and_a_place_comes_free() {
        let scheduler = Scheduler::new(1, 1);
        let place = scheduler.admit(&CallContext::alone()).unwrap();
        assert!(matches!(scheduler.admit(&CallContext::alone()), Err(EngineError::Overloaded)));
        assert!(scheduler.admit(&background("job")).is_ok());
        drop(place);
        assert!(scheduler.admit(&CallContext::alone()).is_ok());
    }

    #[test]
    fn synchronous_pieces_go_before_queued_background_ones() {
        let scheduler = Scheduler::new(1, 4);
        let (release, held) = channel::<()>();
        let (order, ordered) = channel();
        let busy = scheduler.admit(&background("busy")).unwrap();
        let blocked = busy.submit(move |_| held.recv().map_err(EngineError::internal));
        let (first, second) = (order.clone(), order);
        let later = busy.submit(move |_| first.send("background").map_err(EngineError::internal));
        let urgent = scheduler.admit(&CallContext::alone()).unwrap();
        let sooner = urgent.submit(move |_| second.send("synchronous").map_err(EngineError::internal));
        release.send(()).unwrap();
        blocked.wait().unwrap();
        sooner.wait().unwrap();
        later.wait().unwrap();
        assert_eq!(ordered.iter().collect::<Vec<_>>(), ["synchronous", "background"]);
    }

    #[test]
    fn a_long_background_piece_lets_a_synchronous_one_in() {
        let scheduler = Scheduler::new(1, 4);
        let (started, running) = channel();
        let (queued, wait) = channel::<()>();
        let long = scheduler.admit(&background("long")).unwrap();
        let ticket = long.submit(move |worker| {
            started.send(()).map_err(EngineError::internal)?;
            wait.recv().map_err(EngineError::internal)?;
            worker.pause()?;
            Ok("long")
        });
        running.recv().unwrap();
        let short = scheduler.admit(&CallContext::alone()).unwrap();
        let quick = short.submit(|_| Ok("quick"));
        queued.send(()).unwrap();
        assert_eq!(quick.wait().unwrap(), "quick");
        assert_eq!(ticket.wait().unwrap(), "long");
    }

    #[test]
    fn cancelled_work_is_dropped_and_a_panic_is_an_error() {
        let scheduler = Scheduler::new(1, 4);
        let context = CallContext::alone();
        let place = scheduler.admit(&context).unwrap();
        let panicked = place.submit(|_| -> Result<(), EngineError> { panic!("as planned") });
        assert!(matches!(panicked.wait(), Err(EngineError::Internal(_))));
        context.cancel.cancel();
        let cancelled = place.submit(|_| Ok(()));
        assert!(matches!(cancelled.wait(), Err(EngineError::Cancelled)));
    }

    #[test]
    fn a_wide_piece_runs_alone_and_takes_turns() {
        let scheduler = Scheduler::new(3, 4);
        let inside = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let place = scheduler.admit(&background("job")).unwrap();
        let other = scheduler.admit(&background("other")).unwrap();
        let enter = |wide: bool| {
            let inside = inside.clone();
            move |_: &Worker| {
                let before = inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                std::thread::yield_now();
                let alone = before == 0 && inside.load(std::sync::atomic::Ordering::SeqCst) == 1;
                inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                Ok(alone || !wide)
            }
        };
        let pieces: Vec<_> =
            (0..300)
                .map(|number| {
                    if number % 3 == 0 { place.submit_wide(enter(true)) } else { other.submit(enter(false)) }
                })
                .collect();
        assert!(pieces.into_iter().all(|piece| piece.wait().unwrap()));
    }
}
