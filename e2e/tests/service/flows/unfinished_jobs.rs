//! What a job shows that failed or was cancelled.

use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::post_analysis;
use auris_e2e::settings::JOB_CONCURRENCY;
use auris_e2e::{Client, DatabaseKind, Server, ServerOptions, both_databases};
use serde_json::{Value, json};

both_databases! {
    async fn a_failed_job_shows_its_artifacts_its_errors_and_the_percentage_that_it_had_reached(database: DatabaseKind) {
        let server = one_slot(database).await;
        let client = server.client();
        let at_once = failed(&server, &client, "a fake:fail b").await;
        assert_eq!(at_once["progress"]["percent"], 0, "{at_once}");
        assert_eq!(names(&at_once["result"]), ["artifacts", "errors"], "{at_once}");
        let later = failed(&server, &client, "a fake:fail=topics b").await;
        let percent = later["progress"]["percent"].as_i64().unwrap_or_default();
        assert!((50..99).contains(&percent), "{later}");
        assert_eq!(names(&later["result"]), ["artifacts", "errors", "summary", "transcript"], "{later}");
        for job in [&at_once, &later] {
            assert_eq!(purposes(job), ["input.transcript"], "{job}");
            assert_eq!(job["result"]["errors"].as_array().map(Vec::len), Some(1), "{job}");
        }
        let steps = steps(&client, &at_once).await;
        assert_eq!((&steps[0]["status"], steps[0]["resolved_model"].is_string()), (&json!("failed"), true));
        assert_eq!((&steps[1]["status"], &steps[1]["resolved_model"]), (&json!("cancelled"), &Value::Null));
    }

    async fn a_job_that_is_cancelled_before_it_runs_shows_its_artifacts_and_no_model(database: DatabaseKind) {
        let server = one_slot(database).await;
        let client = server.client();
        let body = json!({"transcript": {"text": "wait fake:delay=600000"}, "processing": {"summary": {}}});
        post_analysis(&client, &body).await.expect_status(202);
        let queued = post_analysis(&client, &body).await.expect_status(202).json();
        assert_eq!(steps(&client, &queued).await[0]["resolved_model"], Value::Null);
        let path = format!("/v1/jobs/{}", queued["id"].as_str().unwrap_or_default());
        let job = client.post(&format!("{path}/cancel")).send().await.expect_status(200).json();
        assert_eq!((&job["status"], &job["progress"]["percent"]), (&json!("cancelled"), &json!(0)), "{job}");
        assert_eq!((names(&job["result"]), purposes(&job)), (vec!["artifacts", "errors"], vec!["input.transcript"]));
        assert_eq!(steps(&client, &job).await[0]["resolved_model"], Value::Null);
        assert_eq!(client.get(&path).send().await.expect_status(200).json(), job);
    }
}

async fn one_slot(database: DatabaseKind) -> Server {
    ServerOptions::new(database).with(JOB_CONCURRENCY, 1).start().await
}

/// A job with a summary and topics that fails.
async fn failed(server: &Server, client: &Client, text: &str) -> Value {
    let body = json!({"transcript": {"text": text}, "processing": {"summary": {}, "topics": {}}});
    let id = post_analysis(client, &body).await.expect_status(202).id();
    let job = wait_and_check(server, client, &id).await;
    assert_eq!(job["status"], "failed", "{job}");
    job
}

async fn steps(client: &Client, job: &Value) -> Vec<Value> {
    let path = format!("/v1/jobs/{}/steps", job["id"].as_str().unwrap_or_default());
    client.get(&path).send().await.expect_status(200).json()["data"].as_array().cloned().unwrap_or_default()
}

/// The names of the result's parts, sorted.
fn names(result: &Value) -> Vec<&str> {
    let mut names: Vec<&str> =
        result.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names
}

fn purposes(job: &Value) -> Vec<&str> {
    let artifacts = job["result"]["artifacts"].as_array().into_iter().flatten();
    artifacts.filter_map(|artifact| artifact["purpose"].as_str()).collect()
}
