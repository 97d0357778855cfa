//! Boundary values of the JSON bodies.

use auris_e2e::boundary_values::{BoundaryCase, cases_of_body};
use auris_e2e::requests::analysis;
use auris_e2e::{Client, DatabaseKind, Reply, Server, contract};
use futures::StreamExt;
use serde_json::{Value, json};

use super::expected_answer::{mistake, report};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_field_of_an_analysis_is_accepted_at_its_limits_and_refused_beyond() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let cases = cases_of_body(&body_schema("/v1/audio/analyses"), &analysis());
    assert!(cases.len() > 300, "only {} cases were generated", cases.len());
    check_all(&cases, |case| post(&client, "/v1/audio/analyses", case)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_field_of_a_webhook_endpoint_is_accepted_at_its_limits_and_refused_beyond() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let document = json!({"url": "https://127.0.0.1:9/hook"});
    let cases = cases_of_body(&body_schema("/v1/webhook_endpoints"), &document);
    assert!(cases.len() > 10, "only {} cases were generated", cases.len());
    check_all(&cases, |case| post(&client, "/v1/webhook_endpoints", case)).await;
}

async fn check_all<'a, Fut>(cases: &'a [BoundaryCase], send: impl Fn(&'a BoundaryCase) -> Fut)
where
    Fut: Future<Output = Reply>,
{
    let answers = cases.iter().map(|case| {
        let answer = send(case);
        async move { mistake(case, &answer.await) }
    });
    let mistakes: Vec<_> = futures::stream::iter(answers).buffer_unordered(4).collect().await;
    report(cases.len(), mistakes.into_iter().flatten().collect());
}

async fn post(client: &Client, path: &str, case: &BoundaryCase) -> Reply {
    let key = format!("boundary-{}", rand::random::<u64>());
    let call = client.post(path).idempotency_key(&key);
    call.json(&case.body()).send().await
}

fn body_schema(path: &str) -> Value {
    let operation = contract().operation("POST", path).expect("an operation");
    let body = contract().resolve(&operation.definition["requestBody"]);
    body["content"]["application/json"]["schema"].clone()
}
