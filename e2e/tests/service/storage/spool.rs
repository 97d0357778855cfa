//! A running service removes what a killed process left of its uploads, and nothing else.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use auris_e2e::requests::transcription_form;
use auris_e2e::settings::SWEEP_SECONDS;
use auris_e2e::{Client, DatabaseKind, Form, Server, ServerOptions, eventually};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_of_a_killed_process_is_removed_and_one_in_progress_is_kept() {
    let mut server = ServerOptions::new(DatabaseKind::Sqlite).with(SWEEP_SECONDS, 1).start().await;
    let client = server.client();
    let cut = begin_upload(&server, &client).await;
    let left = only_upload(&server, &[]).await;
    server.kill();
    drop(cut);
    server.restart().await;
    let client = server.reconnect(&client);
    let connection = begin_upload(&server, &client).await;
    let live = only_upload(&server, std::slice::from_ref(&left)).await;
    assert!(left.exists(), "a file that may have been created a moment ago is not judged yet");
    for file in [&left, &live] {
        make_old(file);
    }
    eventually("the abandoned upload to be removed", || async { (!left.exists()).then_some(()) }).await;
    assert!(live.exists(), "an upload in progress is kept");
    drop(connection);
    eventually("the upload that was cut off to be removed", || async { (!live.exists()).then_some(()) })
        .await;
}

/// Sends half of an upload, and returns its connection.
async fn begin_upload(server: &Server, client: &Client) -> TcpStream {
    let body = transcription_form(client).await.text("async", "true").encode();
    let head = format!(
        "POST /v1/audio/transcriptions HTTP/1.1\r\nHost: auris\r\nAuthorization: Bearer {}\r\nContent-Type: {}\r\n\
         Content-Length: {}\r\n\r\n",
        client.key(),
        Form::content_type(),
        body.len()
    );
    let mut connection = TcpStream::connect(server.address()).await.expect("the server listens");
    connection.write_all(head.as_bytes()).await.expect("the server reads");
    connection.write_all(&body[..body.len() / 2]).await.expect("the server reads");
    connection
}

/// Waits for an upload besides those that are known.
async fn only_upload(server: &Server, known: &[PathBuf]) -> PathBuf {
    let spool = server.data().join("spool");
    eventually("the upload to arrive", || async {
        let entries = fs::read_dir(&spool).expect("the folder is there");
        let mut paths = entries.flatten().map(|entry| entry.path());
        paths.find(|path| !known.contains(path))
    })
    .await
}

#[expect(clippy::disallowed_methods, reason = "the file system dates files by the real time")]
fn make_old(path: &Path) {
    let file = File::options().write(true).open(path).expect("the file is there");
    file.set_modified(SystemTime::now() - Duration::from_secs(3600)).expect("the file is ours");
}
