//! Whole connections: unparsable requests, refused uploads, silent clients, and the handover of event streams.

mod http2;
mod large_heads;
mod unread_responses;

use std::time::Duration;

use auris_domain::time::Clock;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Extension, Router};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::answer_state::AnswerState;
use super::connection::Connections;
use super::limits::{HEAD_BYTES, HEADERS};
use crate::client_address::ClientAddress;
use crate::request_body;
use crate::sse::LongLived;

const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// A response body that looks like an error response of the HTTP library.
const LOOKALIKE: &str = "HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\n\r\n";

fn router() -> Router {
    Router::new()
        .route("/lookalike", get(|| async { LOOKALIKE }))
        .route("/refuse", post(refuse_unread))
        .route("/long", get(|| async { (Extension(LongLived), "a long response") }))
        .route("/short", get(|| async { "a short response" }))
}

async fn refuse_unread(request: Request) -> StatusCode {
    let (request, unread_body) = request_body::watch(request);
    drop(request);
    unread_body.unwrap().drain();
    StatusCode::UNAUTHORIZED
}

fn connections(router: Router) -> Connections {
    Connections::new(router, Clock::System, WRITE_TIMEOUT)
}

fn connect() -> DuplexStream {
    let (client, server) = tokio::io::duplex(16 * 1024);
    let (connection, handover) =
        connections(router()).serve(server, ClientAddress(None), AnswerState::default());
    tokio::spawn(connection);
    drop(handover);
    client
}

/// Everything that a client receives until the connection closes.
async fn exchange(sent: Vec<u8>) -> String {
    let (mut reader, mut writer) = tokio::io::split(connect());
    let sending = tokio::spawn(async move {
        // The connection of a refused client may be closed already.
        let _ = writer.write_all(&sent).await;
        writer
    });
    let mut received = String::new();
    reader.read_to_string(&mut received).await.unwrap();
    drop(sending.await.unwrap());
    received
}

#[tokio::test]
async fn an_unparsable_request_gets_the_error_body() {
    let many = "a: b\r\n".repeat(HEADERS + 1);
    let requests = [
        ("GET / HTTP/9.1\r\n\r\n".to_owned(), "invalid_value"),
        ("GET / HTTP/1.1\r\nContent-Length: abc\r\n\r\n".to_owned(), "invalid_value"),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n".to_owned(), "invalid_value"),
        ("GET / HTTP/1.1\r\nbad name: x\r\n\r\n".to_owned(), "invalid_value"),
        (format!("GET / HTTP/1.1\r\n{many}\r\n"), "value_too_long"),
        (format!("GET / HTTP/1.1\r\na: {}\r\n\r\n", "b".repeat(2 * HEAD_BYTES)), "value_too_long"),
        (format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(70_000)), "value_too_long"),
    ];
    for (request, code) in requests {
        let answer = exchange(request.into_bytes()).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 400 Bad Request\r\ndate: "), "{head}");
        assert!(head.contains("\r\nx-request-id: req_"), "{head}");
        assert!(head.contains(&format!("\r\ncontent-length: {}\r\n", body.len())), "{head}");
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(body["error"]["code"], code);
    }
}

#[tokio::test]
async fn only_the_librarys_own_response_is_replaced() {
    let request = "GET /lookalike HTTP/1.1\r\nHost: h\r\n\r\n";
    let answer = exchange(format!("{request}{request}no http\r\n\r\n").into_bytes()).await;
    assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), 2, "{answer}");
    assert_eq!(answer.matches(LOOKALIKE).count(), 2, "{answer}");
    assert!(answer.ends_with("\"code\":\"invalid_value\"}}"), "{answer}");
}

#[tokio::test]
async fn a_client_that_reads_only_after_sending_receives_a_refusal() {
    for connection in ["keep-alive", "close"] {
        let mut client = connect();
        let length = 4 * 1024 * 1024;
        let head =
            format!("POST /refuse HTTP/1.1\r\nConnection: {connection}\r\nContent-Length: {length}\r\n\r\n");
        client.write_all(head.as_bytes()).await.unwrap();
        client.write_all(&vec![b'x'; length]).await.unwrap();
        let mut status = [0; 12];
        client.read_exact(&mut status).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 401");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_sends_no_request_is_disconnected() {
    let mut client = connect();
    client.write_all(b"PRI").await.unwrap();
    assert_eq!(client.read(&mut [0; 1]).await.unwrap(), 0);
    let mut silent = connect();
    assert_eq!(silent.read(&mut [0; 1]).await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_head_that_is_not_complete_in_time_gets_the_error_body() {
    let request = "GET /short HTTP/1.1\r\nHost: h\r\n\r\n";
    let long = format!("GET / HTTP/1.1\r\na: {}", "b".repeat(HEAD_BYTES - 20));
    let parts =
        ["G", "GET /sho", "GET / HTTP/1.1\r\nHost: h\r\n", &request[..request.len() - 1], long.as_str()];
    for (is_first, part) in parts.into_iter().flat_map(|part| [(true, part), (false, part)]) {
        let mut client = connect();
        if !is_first {
            client.write_all(request.as_bytes()).await.unwrap();
            read_short_response(&mut client).await;
        }
        client.write_all(part.as_bytes()).await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\ndate: "), "{part}: {answer}");
        assert!(answer.contains("within 15 seconds"), "{part}: {answer}");
    }
}

async fn read_short_response(client: &mut DuplexStream) {
    let mut answer = Vec::new();
    while !answer.ends_with(b"a short response") {
        assert!(client.read_buf(&mut answer).await.unwrap() > 0, "{}", String::from_utf8_lossy(&answer));
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_has_no_more_time_if_it_comes_byte_by_byte() {
    let (mut reader, mut writer) = tokio::io::split(connect());
    tokio::spawn(async move {
        for byte in b"GET /short HTTP/1.1\r\nHost: h\r\n\r\n" {
            // The connection is closed in the meantime.
            let _ = writer.write_all(&[*byte]).await;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    let mut answer = String::new();
    reader.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("within 15 seconds"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_head_begins_with_its_first_byte() {
    let mut client = connect();
    for _ in 0..3 {
        client.write_all(b"GET /short HTTP/1.1\r\nHost: ").await.unwrap();
        tokio::time::sleep(Duration::from_secs(10)).await;
        client.write_all(b"h\r\n\r\n").await.unwrap();
        read_short_response(&mut client).await;
        // A pause between requests.
        tokio::time::sleep(Duration::from_secs(50)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_discarded_is_not_taken_for_a_head() {
    let mut client = connect();
    let length = 40;
    let head = format!("POST /refuse HTTP/1.1\r\nHost: h\r\nContent-Length: {length}\r\n\r\n");
    client.write_all(head.as_bytes()).await.unwrap();
    for _ in 0..length {
        client.write_all(b"x").await.unwrap();
        tokio::time::sleep(Duration::from_millis(450)).await;
    }
    client.write_all(b"GET /short HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").await.unwrap();
    let mut answers = String::new();
    client.read_to_string(&mut answers).await.unwrap();
    assert!(answers.starts_with("HTTP/1.1 401 ") && answers.ends_with("a short response"), "{answers}");
}

/// Whether the connection was handed over, and what the client had received by then.
async fn handed_over(request: &str) -> (bool, String) {
    let (mut client, server) = tokio::io::duplex(1024);
    let (connection, handover) =
        connections(router()).serve(server, ClientAddress(None), AnswerState::default());
    client.write_all(request.as_bytes()).await.unwrap();
    let _ = connection.await;
    let handed_over = handover.take().is_some();
    let mut received = String::new();
    client.read_to_string(&mut received).await.unwrap();
    (handed_over, received)
}

#[tokio::test]
async fn a_long_lived_response_leaves_the_library_unwritten() {
    let (handed_over, received) = handed_over("GET /long HTTP/1.1\r\nHost: h\r\n\r\n").await;
    assert!(handed_over && received.is_empty(), "{received}");
}

#[tokio::test]
async fn other_responses_stay_with_the_library() {
    let headers = "Host: h\r\nConnection: close\r\n\r\n";
    let requests = [("GET /short HTTP/1.1", "a short response"), ("GET /long HTTP/1.0", "a long response")];
    for (request, body) in requests {
        let (handed_over, received) = handed_over(&format!("{request}\r\n{headers}")).await;
        assert!(!handed_over && received.ends_with(body), "{request}: {received}");
    }
    let (handed_over, received) = handed_over(&format!("HEAD /long HTTP/1.1\r\n{headers}")).await;
    assert!(!handed_over && received.starts_with("HTTP/1.1 200"), "{received}");
}
