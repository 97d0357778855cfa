//! An HTTP/2 client.

use axum::body::Body;
use axum::http::Response;
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};

use super::Connections;
use crate::client_address::ClientAddress;
use crate::server::answer_state::AnswerState;

/// The default of HTTP/2.
pub(super) const WINDOW: u32 = 65_535;

/// A client that accepts `window` bytes of a response before it reads any of them.
pub(super) async fn connect(connections: &Connections, window: u32) -> SendRequest<Body> {
    let (client, server) = tokio::io::duplex(16 * 1024);
    let (connection, handover) = connections.serve(server, ClientAddress(None), AnswerState::default());
    drop(handover);
    tokio::spawn(connection);
    let mut builder = Builder::new(TokioExecutor::new());
    builder.initial_stream_window_size(window);
    let (sender, connection) = builder.handshake(TokioIo::new(client)).await.unwrap();
    tokio::spawn(connection);
    sender
}

/// The body, or `None` if the stream was reset before its end.
pub(super) async fn body(response: Response<Incoming>) -> Option<String> {
    let bytes = axum::body::to_bytes(Body::new(response.into_body()), usize::MAX).await.ok()?;
    String::from_utf8(bytes.to_vec()).ok()
}
