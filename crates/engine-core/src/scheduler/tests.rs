use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};

use tokio_util::sync::CancellationToken;

use super::*;

fn background(job: &str) -> CallContext {
    CallContext::background("project", job, CancellationToken::new())
}

#[test]
fn a_call_over_the_limit_is_refused_and_an_ended_call_lets_the_next_in() {
    let scheduler = Scheduler::new(1, 1);
    let admission = scheduler.admit(&CallContext::alone()).unwrap();
    assert!(matches!(scheduler.admit(&CallContext::alone()), Err(EngineError::Overloaded)));
    assert!(scheduler.admit(&background("job")).is_ok());
    drop(admission);
    assert!(scheduler.admit(&CallContext::alone()).is_ok());
}

#[test]
fn synchronous_items_run_before_queued_background_items() {
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
fn a_long_background_item_lets_a_synchronous_item_in() {
    let scheduler = Scheduler::new(1, 4);
    let (started, running) = channel();
    let (queued, wait) = channel::<()>();
    let (ended, order) = channel();
    let ended_first = ended.clone();
    let long = scheduler.admit(&background("long")).unwrap();
    let ticket = long.submit(move |worker| {
        started.send(()).map_err(EngineError::internal)?;
        wait.recv().map_err(EngineError::internal)?;
        worker.pause()?;
        ended.send("long").map_err(EngineError::internal)
    });
    running.recv().unwrap();
    let short = scheduler.admit(&CallContext::alone()).unwrap();
    let quick = short.submit(move |_| ended_first.send("quick").map_err(EngineError::internal));
    queued.send(()).unwrap();
    quick.wait().unwrap();
    ticket.wait().unwrap();
    assert_eq!(order.iter().collect::<Vec<_>>(), ["quick", "long"]);
}

#[test]
fn cancelled_work_is_dropped_and_a_panic_is_an_error() {
    let scheduler = Scheduler::new(1, 4);
    let context = CallContext::alone();
    let admission = scheduler.admit(&context).unwrap();
    let panicked = admission.submit(|_| -> Result<(), EngineError> { panic!("as planned") });
    assert!(matches!(panicked.wait(), Err(EngineError::Internal(_))));
    context.cancel.cancel();
    let cancelled = admission.submit(|_| Ok(()));
    assert!(matches!(cancelled.wait(), Err(EngineError::Cancelled)));
}

#[test]
fn spawned_work_sends_its_results_itself_and_a_panic_in_it_does_no_harm() {
    let scheduler = Scheduler::new(1, 4);
    let admission = scheduler.admit(&CallContext::alone()).unwrap();
    let shared = || CallContext::shared(Priority::Background, "model");
    scheduler.spawn(shared(), |_| panic!("as planned"));
    let (reply, ticket) = admission.ticket();
    scheduler.spawn(shared(), |_| reply.send(Ok("sent")));
    assert_eq!(ticket.wait().unwrap(), "sent");
    let (dropped, ticket) = admission.ticket::<()>();
    scheduler.spawn(shared(), |_| drop(dropped));
    assert!(matches!(ticket.wait(), Err(EngineError::Internal(_))));
}

#[test]
fn running_work_knows_whether_others_of_its_priority_wait() {
    let scheduler = Scheduler::new(1, 4);
    let (started, running) = channel();
    let (queued, wait) = channel::<()>();
    let long = scheduler.admit(&background("long")).unwrap();
    let ticket = long.submit(move |worker| {
        started.send(()).map_err(EngineError::internal)?;
        wait.recv().map_err(EngineError::internal)?;
        let synchronous_only = worker.others_wait();
        started.send(()).map_err(EngineError::internal)?;
        wait.recv().map_err(EngineError::internal)?;
        Ok((synchronous_only, worker.others_wait()))
    });
    running.recv().unwrap();
    let other = scheduler.admit(&CallContext::alone()).unwrap().submit(|_| Ok(()));
    queued.send(()).unwrap();
    running.recv().unwrap();
    let next = long.submit(|_| Ok(()));
    queued.send(()).unwrap();
    assert_eq!(ticket.wait().unwrap(), (false, true));
    other.wait().unwrap();
    next.wait().unwrap();
}

/// Counts the running items of each kind.
#[derive(Default)]
struct Running {
    narrow: AtomicUsize,
    exclusive: AtomicBool,
}

impl Running {
    /// Whether no exclusive item ran beside this one-thread item.
    fn narrow(&self) -> bool {
        self.narrow.fetch_add(1, Ordering::SeqCst);
        let before = self.exclusive.load(Ordering::SeqCst);
        std::thread::yield_now();
        let after = self.exclusive.load(Ordering::SeqCst);
        self.narrow.fetch_sub(1, Ordering::SeqCst);
        !before && !after
    }

    /// Whether nothing ran beside this exclusive item.
    fn exclusive(&self) -> bool {
        let other = self.exclusive.swap(true, Ordering::SeqCst);
        let before = self.narrow.load(Ordering::SeqCst);
        std::thread::yield_now();
        let after = self.narrow.load(Ordering::SeqCst);
        self.exclusive.store(false, Ordering::SeqCst);
        !other && before == 0 && after == 0
    }
}

#[test]
fn an_exclusive_item_runs_alone() {
    let scheduler = Scheduler::new(3, 4);
    let admission = scheduler.admit(&background("job")).unwrap();
    let other = scheduler.admit(&background("other")).unwrap();
    // Three items that wait for each other end only if one-thread items do run side by side.
    let barrier = Arc::new(Barrier::new(3));
    let side_by_side: Vec<_> = (0..3)
        .map(|_| {
            let barrier = barrier.clone();
            other.submit(move |_| Ok(barrier.wait().is_leader()))
        })
        .collect();
    let leaders = side_by_side.into_iter().map(|item| item.wait().unwrap());
    assert_eq!(leaders.filter(|leads| *leads).count(), 1);
    let running = Arc::new(Running::default());
    let items: Vec<_> = (0..300)
        .map(|number| {
            let running = running.clone();
            if number % 3 == 0 {
                admission.submit_exclusive(move |_| Ok(running.exclusive()))
            } else {
                other.submit(move |_| Ok(running.narrow()))
            }
        })
        .collect();
    assert!(items.into_iter().all(|item| item.wait().unwrap()));
}

#[test]
fn exclusive_and_background_items_take_turns() {
    let scheduler = Scheduler::new(1, 4);
    let (release, held) = channel::<()>();
    let (order, ordered) = channel();
    let admission = scheduler.admit(&background("job")).unwrap();
    let (started, running) = channel();
    let blocked = admission.submit(move |_| {
        started.send(()).map_err(EngineError::internal)?;
        held.recv().map_err(EngineError::internal)
    });
    // The only thread is busy from here on, so that all items wait when it gets free.
    running.recv().unwrap();
    let record = |name: &'static str| {
        let order = order.clone();
        move |_: &Worker| order.send(name).map_err(EngineError::internal)
    };
    let mut tickets: Vec<_> = (0..3).map(|_| admission.submit_exclusive(record("exclusive"))).collect();
    tickets.extend((0..5).map(|_| admission.submit(record("background"))));
    release.send(()).unwrap();
    blocked.wait().unwrap();
    tickets.into_iter().for_each(|ticket| ticket.wait().unwrap());
    drop(order);
    let expected = ["exclusive", "background", "exclusive", "background", "exclusive"];
    let order: Vec<_> = ordered.iter().collect();
    assert_eq!(order[..5], expected);
    assert_eq!(order[5..], ["background"; 3]);
}
