//! Requests that are cut off, written to a socket.

use std::time::Duration;

use auris_e2e::requests::transcription_form;
use auris_e2e::{Client, DatabaseKind, Form, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::garbage::nothing_is_stored;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_that_is_cut_off_is_not_stored() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let before = server.files();
    let body = transcription_form(&client).await.text("async", "true").encode();
    for fraction in [0, 1, 10, 50, 90, 99] {
        let sent = &body[..body.len() * fraction / 100];
        let head = upload_head(&client, &format!("Content-Length: {}", body.len()));
        send_and_hang_up(&server, &head, sent).await;
        let head = upload_head(&client, "Transfer-Encoding: chunked");
        send_and_hang_up(&server, &head, &chunk(sent)).await;
    }
    nothing_is_stored(&server, &client, &before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_is_not_http_does_not_affect_the_next_one() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let before = server.files();
    let heads = [
        "\0\0\0\0\r\n\r\n".to_owned(),
        "GET\r\n\r\n".to_owned(),
        "GET /v1/jobs HTTP/9.9\r\n\r\n".to_owned(),
        format!(
            "GET /v1/jobs HTTP/1.1\r\nHost: x\r\n{}\r\n\r\n",
            "X-Long: ".to_owned() + &"a".repeat(200_000)
        ),
        upload_head(&client, "Transfer-Encoding: chunked") + "zzz\r\n",
        upload_head(&client, "Content-Length: -5"),
    ];
    for head in heads {
        let answer = send_and_read(&server, head.as_bytes()).await;
        assert!(!answer.contains(" 500 ") && !answer.contains(" 502 "), "{answer}");
    }
    nothing_is_stored(&server, &client, &before).await;
}

fn upload_head(client: &Client, length: &str) -> String {
    format!(
        "POST /v1/audio/transcriptions HTTP/1.1\r\nHost: auris\r\nAuthorization: Bearer {}\r\nContent-Type: {}\r\n{length}\r\n\r\n",
        client.key(),
        Form::content_type()
    )
}

fn chunk(bytes: &[u8]) -> Vec<u8> {
    let mut chunk = format!("{:x}\r\n", bytes.len() + 1).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk
}

async fn send_and_hang_up(server: &Server, head: &str, body: &[u8]) {
    let mut socket = TcpStream::connect(server.address()).await.expect("the server listens");
    // The server may have answered and closed before everything is written.
    let _ = socket.write_all(head.as_bytes()).await;
    let _ = socket.write_all(body).await;
    let _ = socket.shutdown().await;
}

async fn send_and_read(server: &Server, bytes: &[u8]) -> String {
    let mut socket = TcpStream::connect(server.address()).await.expect("the server listens");
    let _ = socket.write_all(bytes).await;
    let _ = socket.shutdown().await;
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(10), socket.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}
