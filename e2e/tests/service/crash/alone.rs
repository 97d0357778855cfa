//! A process dies with several steps: each is run again, alone.

use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::post_analysis;
use auris_e2e::settings::JOB_CONCURRENCY;
use auris_e2e::{Client, DatabaseKind, both_databases, eventually};
use serde_json::json;

use super::workload::options;

both_databases! {
    async fn steps_whose_process_died_are_run_again_one_after_the_other(database: DatabaseKind) {
        let options = options(database).with(JOB_CONCURRENCY, 4).with("AURIS_ENGINES__THREADS", 4);
        let mut server = options.start().await;
        let client = server.client();
        let mut ids = Vec::new();
        for _ in 0..3 {
            let body = json!({"transcript": {"text": "wait fake:delay=5000"}, "processing": {"summary": {}}});
            ids.push(post_analysis(&client, &body).await.expect_status(202).id());
        }
        eventually("all jobs to run", || all_run(&client, &ids)).await;
        server.kill();
        server.restart().await;
        let client = server.reconnect(&client);
        let mut times = Vec::new();
        for id in &ids {
            let job = wait_and_check(&server, &client, id).await;
            assert_eq!(job["status"], "completed", "{job}");
            times.push(last_attempt(&client, id).await);
        }
        times.sort_unstable();
        assert!(times.windows(2).all(|pair| pair[0].1 <= pair[1].0), "(start, end): {times:?}");
    }
}

async fn all_run(client: &Client, ids: &[String]) -> Option<()> {
    for id in ids {
        let job = client.get(&format!("/v1/jobs/{id}")).send().await.expect_status(200).json();
        if job["progress"]["current_steps"] != json!(["summary"]) {
            return None;
        }
    }
    Some(())
}

/// When the job's step was started for the last time, after at least one other, and when it ended, in Unix seconds.
async fn last_attempt(client: &Client, id: &str) -> (i64, i64) {
    let events = client.get(&format!("/v1/jobs/{id}/events")).stream().await.rest().await;
    let times = |kind: &str| -> Vec<i64> {
        let of_kind = events.iter().filter(|event| event.kind == kind);
        of_kind.filter_map(|event| event.json()["created_at"].as_i64()).collect()
    };
    match (times("job.step.in_progress").as_slice(), times("job.step.completed").as_slice()) {
        ([_, .., start], [end]) => (*start, *end),
        other => panic!("no second attempt: {other:?}"),
    }
}
