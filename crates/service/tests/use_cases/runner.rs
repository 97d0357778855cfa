//! The runner when the database fails.

use std::time::Duration;

use auris_service::runner::Runner;

use crate::test_service::TestService;

/// Makes the database refuse to store the end of a step.
const REFUSE_ENDS: &str = "CREATE TRIGGER refuse_ends BEFORE UPDATE ON steps WHEN NEW.status = 'failed'
    BEGIN SELECT RAISE(ABORT, 'refused by the test'); END";

/// No other worker can run the step while this process holds it, so the process must not continue silently.
#[tokio::test]
async fn a_worker_that_cannot_record_the_end_of_a_step_stops_its_process() {
    let test = TestService::new().await;
    test.sql(REFUSE_ENDS);
    let job = test.queue_job(None).await;
    let running = tokio::spawn(Runner::new(test.service.clone()).run(test.stop.clone()));
    tokio::time::timeout(Duration::from_secs(60), test.stop.cancelled()).await.unwrap();
    running.await.unwrap();
    let run = test.store.load_run(&job).await.unwrap().unwrap().run;
    assert!(!run.job.status().is_terminal(), "the end was recorded: {:?}", run.job.status());
}
