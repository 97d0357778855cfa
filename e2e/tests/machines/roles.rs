//! A worker runs steps and shows nothing of the API.

use auris_e2e::requests::post_analysis;
use auris_e2e::settings::LEASE_SECONDS;
use auris_e2e::{DatabaseKind, ServerOptions, contract, eventually};
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_answers_operators_and_nobody_else() {
    let server = ServerOptions::new(DatabaseKind::Postgres).start().await;
    let worker = server.worker().await;
    let client = worker.reached_by(&server.client());
    for path in ["/healthz", "/readyz", "/metrics"] {
        client.outside(path, &[]).await.expect_status(200);
    }
    for operation in contract().operations() {
        let path = operation.path(|name| format!("{name}_0"));
        let reply = client.call(&operation.method, &path).send().await;
        reply.expect_error(404, "unknown_path");
    }
    for path in ["/", "/docs", "/openapi.yaml", "/openapi.json", "/files/art_0"] {
        client.outside(path, &[]).await.expect_status(404);
    }
    assert!(worker.told().exists() && server.data().join("serve.json").exists(), "each has its own file");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_alone_finishes_what_a_lost_server_took() {
    let options = ServerOptions::new(DatabaseKind::Postgres).with(LEASE_SECONDS, 3);
    let mut server = options.start().await;
    let client = server.client();
    let text = "Anna met Boris. fake:delay=1500";
    let body = json!({"transcript": {"text": text}, "processing": {"summary": {}}});
    let id = post_analysis(&client, &body).await.expect_status(202).id();
    server.kill();
    let worker = server.worker().await;
    let watcher = worker.reached_by(&client);
    eventually("the worker to count a completed step", || async {
        let counted = watcher.outside("/metrics", &[]).await.expect_status(200).text();
        let completed = |line: &str| line.starts_with("auris_steps_total") && line.contains("completed");
        counted.lines().any(completed).then_some(())
    })
    .await;
    server.restart().await;
    let client = server.reconnect(&client);
    let job = server.finished(&client, &id).await;
    assert_eq!(job["status"], "completed", "{job}");
}
