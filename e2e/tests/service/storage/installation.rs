//! A server refuses the blobs of another installation, so that they are not taken for orphans.

use std::fs;

use auris_e2e::finished_job::wait_and_check;
use auris_e2e::infrastructure::S3Server;
use auris_e2e::requests::{
    analysis, post_analysis, post_transcription, submit_transcription, transcription_form,
};
use auris_e2e::settings::{DATABASE_URL, SWEEP_SECONDS};
use auris_e2e::{DatabaseKind, Server, ServerOptions, both_databases, eventually};

use super::blobs;

both_databases! {
    async fn a_server_on_another_database_refuses_the_blobs_until_they_are_adopted(database: DatabaseKind) {
        let mut server = ServerOptions::new(database).with(SWEEP_SECONDS, 1).start().await;
        let client = server.client();
        let job = submit_transcription(&client).await;
        wait_and_check(&server, &client, &job).await;
        server.terminate().await;
        let stored = blobs(&server);
        assert!(stored.len() > 1, "{stored:?}");

        let other = format!("sqlite:{}", server.data().join("other.db").display());
        server.set(DATABASE_URL, &other);
        is_refused(&mut server).await;
        assert_eq!(blobs(&server), stored, "a refused start deletes nothing");
        let report = server.try_auris(&["doctor"]);
        assert_eq!(report.status.code(), Some(1), "{report:?}");
        assert!(String::from_utf8_lossy(&report.stdout).contains("PROBLEM  installation id"), "{report:?}");

        server.unset(DATABASE_URL);
        server.restart().await;
        let client = server.reconnect(&client);
        wait_and_check(&server, &client, &job).await;
        server.terminate().await;

        // As if the first database were lost.
        server.set(DATABASE_URL, &other);
        let adopted = server.auris(&["doctor", "--adopt-blobs"]);
        assert!(adopted.contains("now belong to this database"), "{adopted}");
        server.restart().await;
        server.terminate().await;
        server.unset(DATABASE_URL);
        is_refused(&mut server).await;
        assert_eq!(blobs(&server), stored);
    }
}

#[tokio::test]
async fn a_database_file_that_has_disappeared_is_noticed() {
    let mut server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let job = submit_transcription(&client).await;
    server.finished(&client, &job).await;
    server.terminate().await;
    let stored = blobs(&server);
    fs::rename(server.data().join("auris.db"), server.data().join("elsewhere.db")).expect("it is there");
    is_refused(&mut server).await;
    assert_eq!(blobs(&server), stored);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_blob_store_that_did_not_answer_at_the_start_is_not_taken_over() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    let mut s3 = S3Server::start().await;
    let options = ServerOptions::new(DatabaseKind::Sqlite).with(SWEEP_SECONDS, 1);
    let mut server = options.prepare_beside(url("one.db"), s3.store());
    server.restart().await;
    let client = server.client();
    let job = submit_transcription(&client).await;
    server.finished(&client, &job).await;
    server.terminate().await;
    let stored = blobs(&server);

    s3.kill();
    server.set(DATABASE_URL, &url("other.db"));
    server.restart().await;
    s3.restart().await;
    let client = server.client();
    let form = transcription_form(&client).await.text("async", "true");
    post_transcription(&client, &form).await.expect_error(503, "storage_unavailable");
    post_analysis(&client, &analysis()).await.expect_error(503, "storage_unavailable");
    let has_swept = || async { server.log().contains("no content is deleted").then_some(()) };
    eventually("a sweep", has_swept).await;
    assert_eq!(blobs(&server), stored);
    server.terminate().await;
    is_refused(&mut server).await;

    server.set(DATABASE_URL, &url("one.db"));
    server.restart().await;
    assert_eq!(blobs(&server), stored);
}

/// Starts the server, which must stop with an explanation.
async fn is_refused(server: &mut Server) {
    let before = server.log().len();
    server.spawn();
    assert!(!server.listening().await, "the server started on the blobs of another installation");
    let log = server.log();
    let said = &log[before..];
    for part in ["belong to another database", "database.url", "auris export", "--adopt-blobs"] {
        assert!(said.contains(part), "`{part}` is missing: {said}");
    }
}
