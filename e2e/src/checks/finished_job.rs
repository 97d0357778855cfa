//! What must be true of every finished job, including after crashes.

use serde_json::Value;

use crate::amounts::ten_billionths;
use crate::http::{Client, Event, Reply};
use crate::server::Server;

const UNITS: [&str; 4] = ["audio_seconds", "input_tokens", "output_tokens", "characters"];
const TERMINAL_JOB: [&str; 3] = ["job.completed", "job.failed", "job.cancelled"];
const TERMINAL_STEP: [&str; 4] =
    ["job.step.completed", "job.step.failed", "job.step.skipped", "job.step.cancelled"];

/// Waits until the job is finished, checks it, and returns it.
pub async fn wait_and_check(server: &Server, client: &Client, id: &str) -> Value {
    let job = server.finished(client, id).await;
    let steps = client.get(&format!("/v1/jobs/{id}/steps")).send().await.expect_status(200);
    let steps = steps.json()["data"].as_array().cloned().unwrap_or_default();
    let events = client.get(&format!("/v1/jobs/{id}/events")).stream().await.rest().await;
    is_consistent(&job, &steps, &events);
    for artifact in job["result"]["artifacts"].as_array().into_iter().flatten() {
        artifact_has_its_bytes(client, artifact["id"].as_str().unwrap_or_default()).await;
    }
    job
}

/// Checks a finished job against its steps and its events.
pub fn is_consistent(job: &Value, steps: &[Value], events: &[Event]) {
    steps_are_finished(job, steps);
    usage_is_the_sum_of_the_steps(job, steps);
    events_are_complete(job, steps, events);
}

fn steps_are_finished(job: &Value, steps: &[Value]) {
    assert!(!steps.is_empty(), "{job}");
    for step in steps {
        let status = step["status"].as_str().unwrap_or_default();
        let ended = ["completed", "failed", "cancelled", "skipped"].contains(&status);
        assert!(ended, "a step of a finished job is {status}: {step}");
        if job["status"] == "completed" && job["operation"] == "transcription" {
            assert_eq!(status, "completed", "{step}");
        }
    }
}

fn usage_is_the_sum_of_the_steps(job: &Value, steps: &[Value]) {
    for unit in UNITS {
        let sum: i64 = steps.iter().filter_map(|step| step["usage"][unit].as_i64()).sum();
        assert_eq!(job["usage"][unit].as_i64().unwrap_or(0), sum, "{unit} of {job}");
    }
    let costs = steps.iter().filter_map(|step| step["cost_usd"].as_str());
    let sum: i128 = costs.map(ten_billionths).sum();
    let cost = job["usage"]["cost_usd"].as_str().map_or(0, ten_billionths);
    assert_eq!(cost, sum, "cost of {job}");
}

/// Checks that events are numbered from 1 without gaps, that exactly one terminal event comes last, and that each
/// step has exactly one terminal event.
pub fn events_are_complete(job: &Value, steps: &[Value], events: &[Event]) {
    let numbers: Vec<u64> = events.iter().map(Event::number).collect();
    let expected: Vec<u64> = (1..=events.len() as u64).collect();
    assert_eq!(numbers, expected, "events of {job}");
    let terminal = |event: &&Event| TERMINAL_JOB.contains(&event.kind.as_str());
    assert_eq!(events.iter().filter(terminal).count(), 1, "terminal events of {job}");
    let last = events.last().map(|event| event.kind.clone()).unwrap_or_default();
    assert_eq!(last, format!("job.{}", job["status"].as_str().unwrap_or_default()));
    for step in steps {
        let ends = events.iter().filter(|event| {
            TERMINAL_STEP.contains(&event.kind.as_str()) && event.json()["data"]["id"] == step["id"]
        });
        let kinds: Vec<&str> = ends.map(|event| event.kind.as_str()).collect();
        let wanted = format!("job.step.{}", step["status"].as_str().unwrap_or_default());
        assert_eq!(kinds, [wanted.as_str()], "terminal events of {step}");
    }
}

async fn artifact_has_its_bytes(client: &Client, id: &str) {
    let artifact = client.get(&format!("/v1/artifacts/{id}")).send().await.expect_status(200).json();
    if artifact["status"] == "available" {
        let bytes = download(client, id).await.expect_status(200).body.len();
        assert_eq!(artifact["bytes"], bytes.to_string(), "{artifact}");
    }
}

/// Follows the redirect to an artifact's bytes.
pub async fn download(client: &Client, id: &str) -> Reply {
    let reply = client.get(&format!("/v1/artifacts/{id}/content")).send().await.expect_status(302);
    client.get_outside_api(reply.header("location"), &[]).await
}
