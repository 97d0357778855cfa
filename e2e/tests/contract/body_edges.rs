//! Every rule of the JSON bodies, at its edge and one beyond.

use auris_e2e::edges::{Edge, edges_of_body};
use auris_e2e::requests::analysis;
use auris_e2e::{Client, DatabaseKind, Reply, Server, contract};
use futures::StreamExt;
use serde_json::{Value, json};

use crate::expected::{complaint, report};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_rule_of_an_analysis_holds_at_its_edge_and_is_told_beyond() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let edges = edges_of_body(&body_schema("/v1/audio/analyses"), &analysis());
    assert!(edges.len() > 300, "only {} cases were generated", edges.len());
    check_all(&edges, |edge| post(&client, "/v1/audio/analyses", edge)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_rule_of_a_webhook_endpoint_holds_at_its_edge_and_is_told_beyond() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let document = json!({"url": "https://127.0.0.1:9/hook"});
    let edges = edges_of_body(&body_schema("/v1/webhook_endpoints"), &document);
    assert!(edges.len() > 10, "only {} cases were generated", edges.len());
    check_all(&edges, |edge| post(&client, "/v1/webhook_endpoints", edge)).await;
}

async fn check_all<'a, Fut>(edges: &'a [Edge], send: impl Fn(&'a Edge) -> Fut)
where
    Fut: Future<Output = Reply>,
{
    let answers = edges.iter().map(|edge| {
        let answer = send(edge);
        async move { complaint(edge, &answer.await) }
    });
    let complaints: Vec<_> = futures::stream::iter(answers).buffer_unordered(4).collect().await;
    report(edges.len(), complaints.into_iter().flatten().collect());
}

async fn post(client: &Client, path: &str, edge: &Edge) -> Reply {
    let key = format!("edge-{}", rand::random::<u64>());
    let call = client.post(path).idempotency_key(&key);
    call.json(&edge.body()).send().await
}

fn body_schema(path: &str) -> Value {
    let operation = contract().operation("POST", path).expect("an operation");
    let body = contract().resolve(&operation.definition["requestBody"]);
    body["content"]["application/json"]["schema"].clone()
}
