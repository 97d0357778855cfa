//! A node without space, or without one of its folders, is not ready.

use std::fs;

use auris_e2e::requests::submit_transcription;
use auris_e2e::settings::MIN_FREE_MB;
use auris_e2e::{Client, DatabaseKind, Server, ServerOptions};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_without_enough_space_is_not_ready() {
    let mut server = ServerOptions::new(DatabaseKind::Sqlite).with(MIN_FREE_MB, u32::MAX).start().await;
    is_not_ready(&server.client()).await;
    server.terminate().await;
    server.set(MIN_FREE_MB, "0");
    server.restart().await;
    is_ready(&server.client()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_without_its_blobs_is_not_ready() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    is_ready(&client).await;
    let blobs = server.data().join("blobs");
    let away = server.data().join("unmounted");
    fs::rename(&blobs, &away).expect("the folder is there");
    is_not_ready(&client).await;
    // A disk that was unmounted leaves an empty folder.
    fs::create_dir(&blobs).expect("the folder is gone");
    is_not_ready(&client).await;
    fs::remove_dir(&blobs).expect("the folder is empty");
    fs::rename(&away, &blobs).expect("the folder is there");
    is_ready(&client).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removed_folder_for_uploads_is_created_again() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let spool = server.data().join("spool");
    fs::remove_dir_all(&spool).expect("the folder is there");
    let job = submit_transcription(&client).await;
    assert_eq!(server.finished(&client, &job).await["status"], "completed");
    fs::remove_dir_all(&spool).expect("the folder is there again");
    fs::write(&spool, "a file in its place").expect("the data folder is writable");
    is_not_ready(&client).await;
    fs::remove_file(&spool).expect("the file is there");
    is_ready(&client).await;
    assert!(spool.is_dir());
}

async fn is_ready(client: &Client) {
    client.get_outside_api("/readyz", &[]).await.expect_status(200);
}

async fn is_not_ready(client: &Client) {
    client.get_outside_api("/readyz", &[]).await.expect_error(503, "storage_unavailable");
}
