//! Large answers that a client requests and never reads.

use auris_e2e::requests::post_analysis;
use auris_e2e::settings::WRITE_TIMEOUT_SECONDS;
use auris_e2e::{Client, DatabaseKind, Server, ServerOptions, closed_window_requests, eventually};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

const MEBIBYTE: u64 = 1_048_576;
/// Mebibytes of address space of the server.
const ADDRESS_SPACE: u32 = 4096;
/// Unread answers over HTTP/1.1, each on its own connection; unread event streams; and connections of HTTP/2.
const CONNECTIONS: usize = 60;
const STREAMS: usize = 20;
const HTTP2_CONNECTIONS: usize = 4;
/// Requests of each HTTP/2 connection, as many as it may have open.
const REQUESTS: u32 = 32;
/// What all unread answers together may need. Each of them has 20 MB.
const LIMIT: u64 = 512 * MEBIBYTE;
const WORD: &str = "word ";

/// A completed job whose step has an output of twice this number of characters.
async fn large_job(server: &Server, client: &Client, characters: usize) -> String {
    let text = WORD.repeat(characters / WORD.len());
    let body = json!({"transcript": {"text": text}, "processing": {"formatting": {}}});
    let id = post_analysis(client, &body).await.expect_status(202).id();
    let job = server.finished(client, &id).await;
    assert_eq!(job["status"], "completed", "{}", job["error"]);
    id
}

/// Sends a request and keeps the connection without reading from it.
async fn unread(server: &Server, client: &Client, path: &str) -> TcpStream {
    let mut socket = TcpStream::connect(server.address()).await.expect("the server listens");
    let key = client.key();
    let request = format!("GET {path} HTTP/1.1\r\nHost: auris\r\nAuthorization: Bearer {key}\r\n\r\n");
    socket.write_all(request.as_bytes()).await.expect("the server reads the request");
    socket
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_large_answers_that_nobody_reads_need_little_memory_and_keep_nobody_out() {
    let options = ServerOptions::new(DatabaseKind::Sqlite).with(WRITE_TIMEOUT_SECONDS, 600);
    let server = options.with_memory(ADDRESS_SPACE).start().await;
    let client = server.client();
    let other = server.client_of_new_project("other");
    let others = format!("/v1/jobs/{}/steps", large_job(&server, &other, 1_000_000).await);
    let job = large_job(&server, &client, 10_000_000).await;
    let steps = format!("/v1/jobs/{job}/steps");
    let events = format!("/v1/jobs/{job}/events");
    let before = server.memory("VmHWM");

    let mut sockets = Vec::new();
    for (path, count) in [(&steps, CONNECTIONS), (&events, STREAMS)] {
        for _ in 0..count {
            sockets.push(unread(&server, &client, path).await);
        }
    }
    for _ in 0..HTTP2_CONNECTIONS {
        let requests = closed_window_requests(server.address(), client.key(), &steps, REQUESTS).await;
        sockets.push(requests.expect("the server listens"));
    }
    let is_refused = || async {
        let reply = client.get(&steps).send().await;
        (reply.status == 429).then(|| reply.expect_error(429, "concurrency_limit_exceeded"))
    };
    eventually("the memory for answers to be used", is_refused).await;
    client.get("/v1/models").send().await.expect_status(200);
    let read = other.get(&others).send().await.expect_status(200);
    assert!(read.text().len() > 2_000_000);
    let grown = server.memory("VmHWM").saturating_sub(before);
    eprintln!("unread answers needed {} MiB", grown / MEBIBYTE);
    assert!(grown < LIMIT, "unread answers needed {} MiB", grown / MEBIBYTE);

    drop(sockets);
    let is_answered = || async { (client.get(&steps).send().await.status == 200).then_some(()) };
    eventually("the memory to be released", is_answered).await;
}
