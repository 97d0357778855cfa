//! Answers that leave the HTTP library: an event stream that waits for hours keeps none of its buffers.
//!
//! The library holds some twenty kilobytes for every connection it serves. So an answer with little to say is taken from
//! it, as an error that ends its work, and the bare connection is served on by `held`.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::http::{Method, Request, Response, Version};

/// Marks an answer that may stay open for hours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LongLived;

/// How the HTTP library is told to let a connection go.
#[derive(Debug)]
pub(super) struct HandedOver;

impl fmt::Display for HandedOver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the connection is served without the HTTP library from here")
    }
}

impl std::error::Error for HandedOver {}

/// Shared by the service of a connection, the library's hold on its stream, and who takes it over.
pub(super) struct Handover<S> {
    stream: Arc<Mutex<S>>,
    answer: Arc<Mutex<Option<Response<Body>>>>,
}

impl<S> Handover<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream: Arc::new(Mutex::new(stream)), answer: Arc::default() }
    }

    pub(super) fn stream(&self) -> Arc<Mutex<S>> {
        Arc::clone(&self.stream)
    }

    /// Where the service lays an answer down.
    pub(super) fn counter(&self) -> Counter {
        Counter(Arc::clone(&self.answer))
    }

    /// The connection and its answer, when there is one to take over and the library has let go.
    pub(super) fn take(self) -> Option<(S, Response<Body>)> {
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let stream = Arc::into_inner(self.stream)?;
        Some((stream.into_inner().unwrap_or_else(PoisonError::into_inner), answer))
    }
}

#[derive(Clone)]
pub(super) struct Counter(Arc<Mutex<Option<Response<Body>>>>);

impl Counter {
    /// Whether an answer to this request may be taken over: many share a connection of HTTP/2, HTTP/1.0 has no chunks,
    /// and a head alone has no stream.
    pub(super) fn suits<B>(request: &Request<B>) -> bool {
        request.version() == Version::HTTP_11 && request.method() == Method::GET
    }

    /// Keeps a long-lived answer; gives every other back.
    pub(super) fn lay_down(&self, response: Response<Body>) -> Result<Response<Body>, HandedOver> {
        if response.extensions().get::<LongLived>().is_none() {
            return Ok(response);
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(response);
        Err(HandedOver)
    }
}

#[cfg(test)]
mod tests {
    use super::super::connection::Connections;
    use super::*;
    use auris_domain::time::Clock;
    use axum::routing::get;
    use axum::{Extension, Router};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// Whether the connection was handed over, and what the client had heard by then.
    async fn served(request: &str) -> (bool, String) {
        let router = Router::new()
            .route("/long", get(|| async { (Extension(LongLived), "a long story") }))
            .route("/short", get(|| async { "a word" }));
        let (mut client, server) = tokio::io::duplex(1024);
        let (connection, handover) = Connections::new(router, Clock::System).serve(server);
        client.write_all(request.as_bytes()).await.unwrap();
        let _ = connection.await;
        let taken = handover.take().is_some();
        let mut heard = String::new();
        client.read_to_string(&mut heard).await.unwrap();
        (taken, heard)
    }

    #[tokio::test]
    async fn a_long_lived_answer_leaves_the_library_unwritten() {
        let (taken, heard) = served("GET /long HTTP/1.1\r\nHost: h\r\n\r\n").await;
        assert!(taken && heard.is_empty(), "{heard}");
    }

    #[tokio::test]
    async fn other_answers_and_other_requests_stay() {
        let close = "Host: h\r\nConnection: close\r\n\r\n";
        for (request, said) in [("GET /short HTTP/1.1", "a word"), ("GET /long HTTP/1.0", "a long story")] {
            let (taken, heard) = served(&format!("{request}\r\n{close}")).await;
            assert!(!taken && heard.ends_with(said), "{request}: {heard}");
        }
        let (taken, heard) = served(&format!("HEAD /long HTTP/1.1\r\n{close}")).await;
        assert!(!taken && heard.starts_with("HTTP/1.1 200"), "{heard}");
    }
}
