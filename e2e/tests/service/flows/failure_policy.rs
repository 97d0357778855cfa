//! How a failed step affects the others, with both failure policies.

use std::collections::BTreeMap;

use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::{model_for, post_analysis};
use auris_e2e::{Client, DatabaseKind, Server, both_databases};
use serde_json::{Value, json};

both_databases! {
    async fn fail_fast_ends_the_job_with_the_first_failure(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let body = failing_summary(&client, "fail_fast").await;
        let id = post_analysis(&client, &body).await.expect_status(202).id();
        let job = wait_and_check(&server, &client, &id).await;
        assert_eq!(job["status"], "failed", "{job}");
        assert_eq!(job["error"]["step_key"], "summary");
        assert_eq!(job["error"]["code"], "backend_error");
        let steps = steps(&client, &id).await;
        assert_eq!(steps["summary"]["status"], "failed");
        assert_eq!(steps["tasks/needs"]["status"], "skipped");
        assert_eq!(steps["tasks/needs"]["error"]["code"], "fail_fast");
    }

    async fn continue_independent_skips_only_what_depends_on_the_failure(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let body = failing_summary(&client, "continue_independent").await;
        let id = post_analysis(&client, &body).await.expect_status(202).id();
        let job = wait_and_check(&server, &client, &id).await;
        assert_eq!(job["status"], "completed", "{job}");
        assert!(job["result"]["topics"].is_object(), "{job}");
        assert_eq!(job["result"]["errors"][0]["step_key"], "summary", "{job}");
        let steps = steps(&client, &id).await;
        assert_eq!(steps["summary"]["status"], "failed");
        assert_eq!(steps["topics"]["status"], "completed");
        assert_eq!(steps["tasks/needs"]["status"], "skipped");
        assert_eq!(steps["tasks/needs"]["error"]["code"], "dependency_failed");
        assert_eq!(steps["tasks/free"]["status"], "completed");
    }

    async fn continue_independent_fails_when_nothing_completed(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let processing = json!({"summary": {}, "topics": {}, "failure_policy": "continue_independent"});
        let body = json!({"transcript": {"text": "a fake:fail b"}, "processing": processing});
        let id = post_analysis(&client, &body).await.expect_status(202).id();
        let job = wait_and_check(&server, &client, &id).await;
        assert_eq!(job["status"], "failed", "{job}");
    }
}

async fn failing_summary(client: &Client, policy: &str) -> Value {
    let model = model_for(client, "task").await;
    json!({
        "transcript": {"text": "Anna met Boris. fake:fail=summary They were happy."},
        "processing": {
            "summary": {}, "topics": {}, "failure_policy": policy,
            "tasks": [
                {"id": "needs", "model": model, "sources": ["#/summary/text"]},
                {"id": "free", "model": model, "instructions": "Go.", "sources": ["#/transcript/text"]},
            ],
        },
    })
}

async fn steps(client: &Client, job: &str) -> BTreeMap<String, Value> {
    let steps = client.get(&format!("/v1/jobs/{job}/steps")).send().await.expect_status(200).json();
    let steps = steps["data"].as_array().cloned().unwrap_or_default();
    let keyed = |step: Value| (step["key"].as_str().unwrap_or_default().to_owned(), step);
    steps.into_iter().map(keyed).collect()
}
