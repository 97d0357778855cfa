//! Connections: how many may be open, and what happens to clients that send or read nothing.

use std::fs;
use std::time::Duration;

use auris_e2e::requests::post_analysis;
use auris_e2e::settings::{MAX_CONNECTIONS, WRITE_TIMEOUT_SECONDS};
use auris_e2e::{DatabaseKind, Server, ServerOptions};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// The limit of open files that a process usually starts with is 1024; this one is lower than any hard limit.
const SOFT_LIMIT: u32 = 500;
/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_connections_do_not_keep_others_out() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with(MAX_CONNECTIONS, 20).start().await;
    let client = server.client();
    let text = "Anna met Boris. fake:delay=3000";
    let body = json!({"transcript": {"text": text}, "processing": {"summary": {}}});
    let id = post_analysis(&client, &body).await.expect_status(202).id();
    let events = client.get(&format!("/v1/jobs/{id}/events")).stream().await;
    let mut silent = Vec::new();
    for _ in 0..60 {
        silent.push(TcpStream::connect(server.address()).await.expect("the server listens"));
    }
    // A new client has no connection yet.
    let newcomer = server.client();
    let answered = tokio::time::timeout(LIMIT, newcomer.get("/v1/models").send()).await;
    answered.expect("the request is answered").expect_status(200);
    let events = events.rest().await;
    assert_eq!(events.last().map(|event| event.kind.as_str()), Some("job.completed"), "{events:?}");
    drop(silent);
}

#[tokio::test]
async fn the_server_may_open_as_many_files_as_the_system_allows() {
    // `scripts/test` raises the limit of the tests themselves.
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_open_files(SOFT_LIMIT).start().await;
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.pid())).expect("a running process");
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files")).expect("a limit");
    let values: Vec<&str> = files.split_whitespace().collect();
    assert_eq!(values[0], values[1], "the soft and the hard limit: {files}");
    assert_ne!(values[0], SOFT_LIMIT.to_string(), "the hard limit of this machine is too low to test this");
}

#[tokio::test]
async fn threads_that_compute_yield_to_those_that_answer() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let main = server.niceness("auris").into_iter().min().expect("a main thread");
    assert_eq!(server.niceness("engine-0"), [(main + 10).min(19)], "next to {main}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_reads_no_answers_is_disconnected() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with(WRITE_TIMEOUT_SECONDS, 1).start().await;
    let mut socket = TcpStream::connect(server.address()).await.expect("the server listens");
    let requests = "GET /openapi.yaml HTTP/1.1\r\nHost: auris\r\n\r\n".repeat(1_000);
    let disconnected = async { while socket.write_all(requests.as_bytes()).await.is_ok() {} };
    tokio::time::timeout(LIMIT, disconnected).await.expect("the server closes the connection");
}
