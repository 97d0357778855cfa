//! Responses that a client requests and does not read.

use auris_domain::time::Clock;
use axum::body::Body;
use axum::http::{Request, Response};
use axum::routing::get;
use axum::{BoxError, Extension, Router};
use hyper::body::Incoming;
use hyper::client::conn::http2::SendRequest;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::http2::{self, WINDOW, body};
use super::{Connections, WRITE_TIMEOUT, connections};
use crate::client_address::ClientAddress;
use crate::server::answer_state::AnswerState;
use crate::sse::EndSignal;

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

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_slowly_is_not_disconnected() {
    let (mut client, _served) = connect(&connections(router()));
    client.write_all(b"GET /large HTTP/1.1\r\nHost: h\r\n\r\n").await.unwrap();
    let mut received = 0;
    let mut buffer = vec![0; 16 * 1024];
    while received < LARGE {
        let count = client.read(&mut buffer).await.unwrap();
        assert!(count > 0, "closed after {received} bytes");
        received += count;
        sleep(WRITE_TIMEOUT / 2).await;
    }
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
