//! The worker when the database fails, and when the clock is wrong.

use std::time::Duration;

use auris_service::worker::Worker;
use auris_store::StepWorker;

use crate::test_service::{NOW, TestService};
use crate::waiting::eventually;

const HOUR_MS: i64 = 3_600_000;

/// Makes the database refuse to store the end of a step.
const REFUSE_ENDS: &str = "CREATE TRIGGER refuse_ends BEFORE UPDATE ON steps WHEN NEW.status = 'failed'
    BEGIN SELECT RAISE(ABORT, 'refused by the test'); END";

/// No other worker can run the step while this process holds it, so the process must not continue silently.
#[tokio::test]
async fn a_worker_that_cannot_record_the_end_of_a_step_stops_its_process() {
    let test = TestService::new().await;
    test.sql(REFUSE_ENDS);
    let job = test.queue_job(None).await;
    let running = tokio::spawn(Worker::new(test.service.clone()).run(test.stop.clone()));
    tokio::time::timeout(Duration::from_secs(60), test.stop.cancelled()).await.unwrap();
    running.await.unwrap();
    let run = test.store.load_run(&job).await.unwrap().unwrap().run;
    assert!(!run.job.status().is_terminal(), "the end was recorded: {:?}", run.job.status());
}

/// Leases are times of day. After the clock was set back, the lease of a dead worker lies far in the future.
#[tokio::test]
async fn a_step_of_a_dead_worker_runs_again_soon_although_the_clock_was_set_back() {
    let test = TestService::new().await;
    let job = test.queue_job(None).await;
    let dead = StepWorker { name: "dead", running: 0, now: NOW, lease_until: NOW.plus_ms(1_000) };
    assert_eq!(test.store.claim_steps(dead, 1).await.unwrap().steps.len(), 1);
    test.advance(-HOUR_MS);
    let running = tokio::spawn(Worker::new(test.service.clone()).run(test.stop.clone()));
    let has_ended = async || {
        // The clock of the test moves only by hand.
        test.advance(50);
        test.store.load_run(&job).await.unwrap().unwrap().run.job.status().is_terminal()
    };
    eventually("the end of the job", has_ended).await;
    test.stop.cancel();
    running.await.unwrap();
    let run = test.store.load_run(&job).await.unwrap().unwrap().run;
    assert!(run.steps[0].attempt() > 1 && run.steps[0].runs_alone(), "{:?}", run.steps[0]);
}

/// To a node whose clock is far ahead, the leases of all others seem to have expired.
#[tokio::test]
async fn a_node_whose_clock_is_ahead_takes_the_steps_of_dead_workers_and_not_those_of_live_ones() {
    let test = TestService::new().await;
    let worker = |name| StepWorker { name, running: 0, now: NOW, lease_until: NOW.plus_ms(1_000) };
    let mut jobs = Vec::new();
    for name in ["alive", "dead"] {
        jobs.push(test.queue_job(None).await);
        assert_eq!(test.store.claim_steps(worker(name), 1).await.unwrap().steps.len(), 1);
    }
    test.clock.set_forward(HOUR_MS);
    let running = tokio::spawn(Worker::new(test.service.clone()).run(test.stop.clone()));
    let mut renewals = 0;
    let has_ended = async || {
        test.advance(50);
        renewals += 1;
        test.store.renew_leases("alive", NOW.plus_ms(1_000 + renewals)).await.unwrap();
        test.store.load_run(&jobs[1]).await.unwrap().unwrap().run.job.status().is_terminal()
    };
    eventually("the end of the dead worker's job", has_ended).await;
    test.stop.cancel();
    running.await.unwrap();
    let run = test.store.load_run(&jobs[0]).await.unwrap().unwrap().run;
    assert_eq!((run.steps[0].attempt(), run.job.status().is_terminal()), (1, false));
}
