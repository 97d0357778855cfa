//! Cancelling queued, running and finished jobs.

use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::{analysis, post_analysis};
use auris_e2e::settings::JOB_CONCURRENCY;
use auris_e2e::{Client, DatabaseKind, Server, ServerOptions, both_databases, eventually};
use serde_json::{Value, json};

both_databases! {
    async fn a_queued_job_is_cancelled_at_once_and_a_running_job_soon(database: DatabaseKind) {
        let server = ServerOptions::new(database).with(JOB_CONCURRENCY, 1).start().await;
        let client = server.client();
        let running = post_analysis(&client, &endless()).await.expect_status(202).id();
        in_progress(&client, &running).await;
        let queued = post_analysis(&client, &endless()).await.expect_status(202).id();
        let job = cancel(&client, &queued).await;
        assert_eq!(job["status"], "cancelled", "{job}");
        assert_eq!(job["started_at"], Value::Null, "{job}");
        let job = cancel(&client, &running).await;
        assert!(["cancelling", "cancelled"].contains(&job["status"].as_str().unwrap_or_default()), "{job}");
        for id in [running, queued] {
            let job = wait_and_check(&server, &client, &id).await;
            assert_eq!(job["status"], "cancelled", "{job}");
            assert_eq!(cancel(&client, &id).await["status"], "cancelled", "a retried cancel is safe");
        }
    }

    async fn cancelling_a_finished_job_changes_nothing(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let id = post_analysis(&client, &analysis()).await.expect_status(202).id();
        let ended = server.finished(&client, &id).await;
        assert_eq!(cancel(&client, &id).await, ended);
        let events = client.get(&format!("/v1/jobs/{id}/events")).stream().await.rest().await;
        assert!(events.iter().all(|event| !event.kind.contains("cancel")), "{events:?}");
    }
}

#[tokio::test]
async fn a_cancel_with_an_idempotency_key_is_replayed() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let id = post_analysis(&client, &endless()).await.expect_status(202).id();
    let path = format!("/v1/jobs/{id}/cancel");
    let first = client.post(&path).idempotency_key("stop").send().await.expect_status(200);
    server.finished(&client, &id).await;
    let second = client.post(&path).idempotency_key("stop").send().await.expect_status(200);
    assert_eq!(second.header("idempotent-replayed"), "true");
    assert_eq!(first.json(), second.json(), "the first answer is repeated");
    client.post("/v1/jobs/job_00000000000000000000/cancel").send().await.expect_error(404, "job_not_found");
}

fn endless() -> Value {
    json!({"transcript": {"text": "wait fake:delay=600000 here"}, "processing": {"summary": {}}})
}

async fn in_progress(client: &Client, id: &str) {
    let path = format!("/v1/jobs/{id}");
    eventually("the job to start", || async {
        let job = client.get(&path).send().await.expect_status(200).json();
        (job["status"] == "in_progress").then_some(())
    })
    .await;
}

async fn cancel(client: &Client, id: &str) -> Value {
    let path = format!("/v1/jobs/{id}/cancel");
    client.post(&path).send().await.expect_status(200).json()
}
