//! A graceful stop: running steps are finished or returned to the queue, and nothing is lost.

use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::post_analysis;
use auris_e2e::settings::{DRAIN_SECONDS, LEASE_SECONDS};
use auris_e2e::{Client, DatabaseKind, ServerOptions, both_databases, eventually};
use serde_json::json;

both_databases! {
    async fn a_stopping_server_finishes_running_steps(database: DatabaseKind) {
        let mut server = ServerOptions::new(database).with(DRAIN_SECONDS, 30).start().await;
        let client = server.client();
        let id = running_job(&client, 1_500).await;
        let status = server.terminate().await;
        assert!(status.success(), "{status}");
        assert!(!server.data().join("serve.json").exists(), "serve.json is removed when the server stops");
        server.restart().await;
        let client = server.reconnect(&client);
        let job = client.get(&format!("/v1/jobs/{id}")).send().await.expect_status(200).json();
        assert_eq!(job["status"], "completed", "it was completed before the server stopped: {job}");
        wait_and_check(&server, &client, &id).await;
    }

    async fn a_step_that_does_not_finish_in_time_is_run_by_the_next_server(database: DatabaseKind) {
        let options = ServerOptions::new(database).with(DRAIN_SECONDS, 1).with(LEASE_SECONDS, 3);
        let mut server = options.start().await;
        let client = server.client();
        let id = running_job(&client, 4_000).await;
        server.terminate().await;
        server.restart().await;
        let client = server.reconnect(&client);
        let job = wait_and_check(&server, &client, &id).await;
        assert_eq!(job["status"], "completed", "{job}");
    }
}

async fn running_job(client: &Client, milliseconds: u32) -> String {
    let text = format!("Anna met Boris. fake:delay={milliseconds}");
    let body = json!({"transcript": {"text": text}, "processing": {"summary": {}}});
    let id = post_analysis(client, &body).await.expect_status(202).id();
    eventually("the job to run", || async {
        let job = client.get(&format!("/v1/jobs/{id}")).send().await.expect_status(200).json();
        (job["status"] == "in_progress").then_some(())
    })
    .await;
    id
}
