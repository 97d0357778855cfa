//! Expired content is deleted.

use auris_e2e::requests::submit_transcription;
use auris_e2e::settings::{RETENTION_DAYS, SWEEP_SECONDS};
use auris_e2e::{DatabaseKind, ServerOptions, both_databases, eventually};

both_databases! {
    async fn expired_content_is_swept_and_the_record_is_kept(database: DatabaseKind) {
        let options = ServerOptions::new(database).with(RETENTION_DAYS, 0).with(SWEEP_SECONDS, 1);
        let server = options.start().await;
        let client = server.client();
        let id = submit_transcription(&client).await;
        let artifact = eventually("an artifact or its deletion", || async {
            let job = client.get(&format!("/v1/jobs/{id}")).send().await.expect_status(200).json();
            assert_eq!(job["expires_at"].as_i64(), job["created_at"].as_i64(), "it expires at once");
            let artifact = job["result"]["artifacts"][0]["id"].as_str().map(str::to_owned);
            (artifact.is_some() || job["result_deleted_at"].is_i64()).then_some(artifact)
        })
        .await;
        let job = eventually("the content to be deleted", || async {
            let job = client.get(&format!("/v1/jobs/{id}")).send().await.expect_status(200).json();
            job["result_deleted_at"].is_i64().then_some(job)
        })
        .await;
        assert_eq!(job["status"], "completed");
        if let Some(artifact) = artifact {
            let path = format!("/v1/artifacts/{artifact}");
            assert_eq!(client.get(&path).send().await.expect_status(200).json()["status"], "expired");
            let call = client.get(&format!("{path}/content"));
            call.send().await.expect_error(404, "artifact_deleted");
        }
    }
}
