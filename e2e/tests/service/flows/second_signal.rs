//! A second signal ends the server without waiting.

use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::post_analysis;
use auris_e2e::settings::{DRAIN_SECONDS, LEASE_SECONDS};
use auris_e2e::{DatabaseKind, ServerOptions, both_databases, eventually};
use serde_json::json;

/// Longer than the test waits for the process to end, so that it ends only by the second signal.
const DRAIN: u64 = 300;

both_databases! {
    async fn a_second_signal_ends_the_process_at_once(database: DatabaseKind) {
        let options = ServerOptions::new(database).with(DRAIN_SECONDS, DRAIN).with(LEASE_SECONDS, 3);
        let mut server = options.start().await;
        let client = server.client();
        let text = "Anna met Boris. fake:delay=8000";
        let body = json!({"transcript": {"text": text}, "processing": {"summary": {}}});
        let id = post_analysis(&client, &body).await.expect_status(202).id();
        eventually("the job to run", || async {
            let job = client.get(&format!("/v1/jobs/{id}")).send().await.expect_status(200).json();
            (job["status"] == "in_progress").then_some(())
        })
        .await;
        server.signal("TERM");
        eventually("the server to begin a graceful stop", || async { server.log().contains("stopping").then_some(()) }).await;
        assert!(server.is_running(), "it waits for the running step");
        server.signal("TERM");
        let status = server.exited().await;
        assert_eq!(status.code(), Some(130), "{status}");
        server.restart().await;
        let client = server.reconnect(&client);
        let job = wait_and_check(&server, &client, &id).await;
        assert_eq!(job["status"], "completed", "the next process finishes the job: {job}");
    }
}
