//! A blob that is missing or cut off is a fault of the storage, not content that was deleted.

use std::fs;
use std::path::Path;

use auris_e2e::finished_job::download;
use auris_e2e::requests::submit_transcription;
use auris_e2e::{DatabaseKind, ObjectStore, Server, both_databases};

both_databases! {
    async fn a_damaged_blob_is_an_internal_error_and_is_listed_by_the_doctor(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let job = submit_transcription(&client).await;
        let job = server.finished(&client, &job).await;
        let artifact = job["result"]["artifacts"][0]["id"].as_str().expect("an artifact").to_owned();
        download(&client, &artifact).await.expect_status(200);
        damage(&server, &artifact);
        let path = format!("/v1/artifacts/{artifact}");
        client.get(&format!("{path}/content")).send().await.expect_error(500, "internal_error");
        let log = server.log();
        let said = log.lines().find(|line| line.contains("storage corruption"));
        assert!(said.is_some_and(|line| line.contains(&artifact)), "{log}");
        let report = server.try_auris(&["doctor"]);
        assert_eq!(report.status.code(), Some(1), "{report:?}");
        let text = String::from_utf8_lossy(&report.stdout);
        let line = text.lines().find(|line| line.contains("stored content")).expect("the check");
        assert!(line.starts_with("PROBLEM") && line.contains(&artifact) && line.contains("1 of "), "{text}");
        // Its owner can still delete it.
        client.delete(&path).send().await.expect_status(200);
        client.get(&format!("{path}/content")).send().await.expect_error(404, "artifact_deleted");
        server.auris(&["doctor"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_download_of_a_missing_blob_is_an_internal_error() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let job = submit_transcription(&client).await;
    let job = server.finished(&client, &job).await;
    let artifact = job["result"]["artifacts"][0]["id"].as_str().expect("an artifact").to_owned();
    let path = format!("/v1/artifacts/{artifact}/content");
    let address = client.get(&path).send().await.expect_status(302).header("location").to_owned();
    for (range, status) in [(vec![], 200), (vec![("Range", "bytes=0-3")], 206)] {
        client.get_outside_api(&address, &range).await.expect_status(status);
    }
    fs::remove_file(blob(&server, &artifact)).expect("the blob is there");
    for range in [vec![], vec![("Range", "bytes=0-3")]] {
        client.get_outside_api(&address, &range).await.expect_error(500, "internal_error");
    }
    client.get(&path).send().await.expect_error(500, "internal_error");
}

fn blob(server: &Server, artifact: &str) -> std::path::PathBuf {
    let found = super::blobs(server).into_iter().find(|path| path.ends_with(artifact));
    found.expect("the blob of the artifact")
}

/// Replaces the blob by fewer bytes.
fn damage(server: &Server, artifact: &str) {
    let blob = blob(server, artifact);
    match blob.is_absolute() {
        true => fs::write(&blob, "cut").expect("the folder is writable"),
        false => assert!(ObjectStore::of_this_run().put(&key(&blob)), "the bucket is writable"),
    }
}

fn key(blob: &Path) -> String {
    format!("/{}", blob.display())
}
