//! A worker runs steps and does not serve the API.

use auris_e2e::requests::post_analysis;
use auris_e2e::settings::LEASE_SECONDS;
use auris_e2e::{DatabaseKind, ServerOptions, contract, eventually};
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_serves_only_health_readiness_and_metrics() {
    let server = ServerOptions::new(DatabaseKind::Postgres).start().await;
    let worker = server.worker().await;
    let client = worker.reached_by(&server.client());
    for path in ["/healthz", "/readyz", "/metrics"] {
        client.get_outside_api(path, &[]).await.expect_status(200);
    }
    for operation in contract().operations() {
        let path = operation.path(|name| format!("{name}_0"));
        let reply = client.call(&operation.method, &path).send().await;
        reply.expect_error(404, "unknown_path");
    }
    for path in ["/", "/docs", "/openapi.yaml", "/openapi.json", "/files/art_0"] {
        client.get_outside_api(path, &[]).await.expect_status(404);
    }
    assert!(
        worker.address_file().exists() && server.data().join("serve.json").exists(),
        "each has a separate address file"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_finishes_the_jobs_of_a_killed_server() {
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
        let counted = watcher.get_outside_api("/metrics", &[]).await.expect_status(200).text();
        let completed = |line: &str| line.starts_with("auris_steps_total") && line.contains("completed");
        counted.lines().any(completed).then_some(())
    })
    .await;
    server.restart().await;
    let client = server.reconnect(&client);
    let job = server.finished(&client, &id).await;
    assert_eq!(job["status"], "completed", "{job}");
}
