//! Responses that a client requests and does not read.

use std::time::Duration;

use auris_domain::time::Clock;
use axum::body::Body;
use axum::http::{Request, Response};
use axum::routing::get;
use axum::{BoxError, Extension, Router};
use futures::StreamExt;
use hyper::body::Incoming;
use hyper::client::conn::http2::SendRequest;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::http2::{self, WINDOW, body};
use super::{Connections, WRITE_TIMEOUT, connections};
use crate::client_address::ClientAddress;
use crate::end_signal::EndSignal;
use crate::server::answer_state::AnswerState;

const LARGE: usize = 1024 * 1024;

fn router() -> Router {
    let ends_soon = || EndSignal::new(|| Box::pin(sleep(WRITE_TIMEOUT / 10)));
    Router::new()
        .route("/large", get(|| async { "x".repeat(LARGE) }))
        .route("/small", get(|| async { "a small response" }))
        .route("/ending", get(move || async move { (Extension(ends_soon()), "x".repeat(LARGE)) }))
}

/// A client, and the server's task of its connection.
fn connect(connections: &Connections) -> (DuplexStream, JoinHandle<Result<(), BoxError>>) {
    let (client, server) = tokio::io::duplex(16 * 1024);
    let (connection, handover) = connections.serve(server, ClientAddress(None), AnswerState::default());
    drop(handover);
    (client, tokio::spawn(connection))
}

async fn request(sender: &mut SendRequest<Body>, path: &str) -> Response<Incoming> {
    let request = Request::get(format!("http://h{path}")).body(Body::empty()).unwrap();
    sender.send_request(request).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_disconnected() {
    let (mut client, served) = connect(&connections(router()));
    client.write_all(b"GET /large HTTP/1.1\r\nHost: h\r\n\r\n").await.unwrap();
    let served = timeout(2 * WRITE_TIMEOUT, served).await.expect("the connection ends").unwrap();
    assert!(served.is_err());
}

/// Requests a response, and reads up to `bytes` of it after each `pause`. Returns how many bytes were received before the
/// end.
async fn read_slowly(client: &mut DuplexStream, path: &str, bytes: usize, pause: Duration) -> usize {
    let request = format!("GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    client.write_all(request.as_bytes()).await.unwrap();
    let mut received = 0;
    let mut buffer = vec![0; bytes];
    loop {
        sleep(pause).await;
        match client.read(&mut buffer).await {
            Ok(count) if count > 0 => received += count,
            _ => return received,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_slowly_is_not_disconnected() {
    let (mut client, served) = connect(&connections(router()));
    // 5.3 KiB per second.
    let received = read_slowly(&mut client, "/large", 16 * 1024, Duration::from_secs(3)).await;
    assert!(received > LARGE, "closed after {received} bytes");
    served.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_almost_nothing_is_disconnected() {
    // One byte a second, and 3.2 KiB per second in bursts.
    for (bytes, pause) in [(1, Duration::from_secs(1)), (16 * 1024, Duration::from_secs(5))] {
        let (mut client, served) = connect(&connections(router()));
        let reading =
            tokio::spawn(async move { read_slowly(&mut client, "/large", bytes, pause).await < LARGE });
        let served = timeout(6 * WRITE_TIMEOUT, served).await.expect("the connection ends").unwrap();
        assert!(served.is_err(), "{bytes} bytes every {pause:?}");
        assert!(reading.await.unwrap());
    }
}

#[tokio::test(start_paused = true)]
async fn each_response_of_a_connection_has_the_whole_time() {
    let (mut client, _served) = connect(&connections(router()));
    for _ in 0..4 {
        client.write_all(b"GET /large HTTP/1.1\r\nHost: h\r\n\r\n").await.unwrap();
        sleep(WRITE_TIMEOUT - Duration::from_secs(1)).await;
        let mut received = Vec::new();
        while !received.ends_with(b"x") || received.len() < LARGE + 100 {
            assert!(client.read_buf(&mut received).await.unwrap() > 0, "closed after {}", received.len());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_http2_response_that_is_read_too_slowly_is_reset() {
    let mut sender = http2::connect(&connections(router()), 16 * 1024).await;
    let response = request(&mut sender, "/large").await;
    let mut pieces = Body::new(response.into_body()).into_data_stream();
    let mut received = 0;
    // 1.6 KiB per second.
    while let Some(Ok(piece)) = pieces.next().await {
        received += piece.len();
        sleep(Duration::from_secs(10)).await;
    }
    assert!(received < LARGE / 2, "{received}");
    assert_eq!(body(request(&mut sender, "/small").await).await.as_deref(), Some("a small response"));
}

#[tokio::test(start_paused = true)]
async fn an_http2_response_that_is_not_read_is_reset_and_its_connection_stays() {
    let connections = connections(router());
    for (window, path) in [(WINDOW, "/large"), (1, "/large"), (4, "/small")] {
        let mut sender = http2::connect(&connections, window).await;
        let unread = request(&mut sender, path).await;
        sleep(2 * WRITE_TIMEOUT).await;
        assert_eq!(body(unread).await, None, "{path} with a window of {window}");
        let read = request(&mut sender, "/small").await;
        assert_eq!(body(read).await.as_deref(), Some("a small response"), "window {window}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_http2_response_that_is_read_is_complete() {
    let mut sender = http2::connect(&connections(router()), WINDOW).await;
    let large = request(&mut sender, "/large").await;
    assert_eq!(large.headers()["content-length"], LARGE.to_string().as_str());
    assert_eq!(body(large).await, Some("x".repeat(LARGE)));
}

#[tokio::test(start_paused = true)]
async fn a_response_that_must_end_does_not_wait_for_its_client() {
    let connections = Connections::new(router(), Clock::System, 100 * WRITE_TIMEOUT);
    let (mut client, served) = connect(&connections);
    client.write_all(b"GET /ending HTTP/1.1\r\nHost: h\r\n\r\n").await.unwrap();
    let served = timeout(WRITE_TIMEOUT, served).await.expect("the connection ends").unwrap();
    assert!(served.is_err());
    let mut sender = http2::connect(&connections, WINDOW).await;
    let unread = request(&mut sender, "/ending").await;
    sleep(WRITE_TIMEOUT).await;
    assert_eq!(body(unread).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_a_byte_now_and_then_does_not_delay_the_end() {
    let (mut client, served) = connect(&Connections::new(router(), Clock::System, 100 * WRITE_TIMEOUT));
    tokio::spawn(async move { read_slowly(&mut client, "/ending", 1, Duration::from_secs(1)).await });
    let served = timeout(WRITE_TIMEOUT, served).await.expect("the connection ends").unwrap();
    assert!(served.is_err());
}
