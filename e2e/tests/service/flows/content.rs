//! Deleting a job's content removes it everywhere and keeps the record of the job.

use auris_e2e::requests::{post_transcription, submit_transcription, transcription_form};
use auris_e2e::{Client, DatabaseKind, Server, both_databases};
use serde_json::{Value, json};

both_databases! {
    async fn deleted_content_is_removed_everywhere_and_the_record_is_kept(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let before = server.files();
        let id = submit_transcription(&client).await;
        let job = server.finished(&client, &id).await;
        let spoken = job["result"]["transcript"]["text"].as_str().expect("a text").to_owned();
        for _ in 0..2 {
            let reply = client.delete(&format!("/v1/jobs/{id}/content")).send().await;
            assert_eq!(reply.expect_status(200).json(), json!({"deleted": true}));
        }
        record_is_kept(&client, &id, &job).await;
        content_is_removed(&client, &id, &job, &spoken).await;
        let left: Vec<_> = server.files().difference(&before).cloned().collect();
        let blobs: Vec<_> = left.iter().filter(|path| !path.to_string_lossy().contains(".db")).collect();
        assert!(blobs.is_empty(), "files are left: {blobs:?}");
    }

    async fn content_of_a_running_job_cannot_be_deleted(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let form = transcription_form(&client).await.text("async", "true").text("prompt", "fake:delay=600000");
        let id = post_transcription(&client, &form).await.expect_status(202).id();
        let call = client.delete(&format!("/v1/jobs/{id}/content"));
        call.send().await.expect_error(409, "job_not_finished");
        client.post(&format!("/v1/jobs/{id}/cancel")).send().await.expect_status(200);
        server.finished(&client, &id).await;
        client.delete(&format!("/v1/jobs/{id}/content")).send().await.expect_status(200);
    }

    async fn a_deleted_artifact_keeps_its_metadata(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let id = submit_transcription(&client).await;
        let job = server.finished(&client, &id).await;
        let artifact = job["result"]["artifacts"][0]["id"].as_str().expect("an id").to_owned();
        let path = format!("/v1/artifacts/{artifact}");
        for _ in 0..2 {
            let reply = client.delete(&path).send().await.expect_status(200);
            assert_eq!(reply.json(), json!({"deleted": true}));
        }
        let metadata = client.get(&path).send().await.expect_status(200).json();
        assert_eq!(metadata["status"], "deleted");
        let call = client.get(&format!("{path}/content"));
        call.send().await.expect_error(404, "artifact_deleted");
        client.get("/v1/artifacts/art_00000000000000000000").send().await.expect_error(404, "artifact_not_found");
    }
}

async fn record_is_kept(client: &Client, id: &str, before: &Value) {
    let job = client.get(&format!("/v1/jobs/{id}")).send().await.expect_status(200).json();
    for field in ["id", "status", "operation", "usage", "metadata", "created_at", "completed_at"] {
        assert_eq!(job[field], before[field], "{field} is kept");
    }
    assert!(job["result_deleted_at"].is_i64(), "{job}");
}

async fn content_is_removed(client: &Client, id: &str, before: &Value, spoken: &str) {
    for artifact in before["result"]["artifacts"].as_array().into_iter().flatten() {
        let path = format!("/v1/artifacts/{}", artifact["id"].as_str().unwrap_or_default());
        assert_eq!(client.get(&path).send().await.expect_status(200).json()["status"], "deleted");
        let call = client.get(&format!("{path}/content"));
        call.send().await.expect_error(404, "artifact_deleted");
    }
    let events = client.get(&format!("/v1/jobs/{id}/events")).stream().await.rest().await;
    let event_data: Vec<String> = events.into_iter().map(|event| event.data).collect();
    let job = client.get(&format!("/v1/jobs/{id}")).send().await.text();
    let steps = client.get(&format!("/v1/jobs/{id}/steps")).send().await.text();
    for text in event_data.iter().chain([&job, &steps]) {
        assert!(!text.contains(spoken), "`{spoken}` is still in {text}");
    }
}
