//! Takes event streams out of the HTTP library, so that a stream that waits for hours keeps none of its buffers.
//!
//! An idle stream takes 27 KiB inside the library and 3 KiB outside. When a handler returns a long-lived response, the
//! connection's service stores it here and returns an error, which makes the library drop the connection before it has
//! written anything. `sse_connection` then writes the response to the bare connection.

mod sse_connection;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, Request, Response, Version};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::task::TaskTracker;

use crate::sse::LongLived;

/// The error that makes the HTTP library release a connection.
#[derive(Debug)]
pub(super) struct HandedOver;

impl fmt::Display for HandedOver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the connection was taken over from the HTTP library")
    }
}

impl std::error::Error for HandedOver {}

/// A connection that may be taken over from the HTTP library, which serves it first.
pub(super) struct Handover<S> {
    stream: Arc<Mutex<S>>,
    slot: HandoverSlot,
    write_timeout: Duration,
}

impl<S> Handover<S> {
    pub(super) fn new(stream: S, write_timeout: Duration) -> Self {
        Self { stream: Arc::new(Mutex::new(stream)), slot: HandoverSlot::default(), write_timeout }
    }

    /// The connection, for the HTTP library to use.
    pub(super) fn stream(&self) -> Arc<Mutex<S>> {
        Arc::clone(&self.stream)
    }

    /// Where the connection's service stores a response to take over.
    pub(super) fn slot(&self) -> HandoverSlot {
        self.slot.clone()
    }

    /// The connection and the stored response, after the library has dropped the connection.
    pub(super) fn take(self) -> Option<(S, Response<Body>)> {
        let response = self.slot.0.lock().take()?;
        let stream = Arc::into_inner(self.stream)?;
        Some((stream.into_inner(), response))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Handover<S> {
    /// Serves the stored response, if there is one, on a new task, which is smaller than the connection's task. Returns
    /// whether there was one. The guard is dropped when the connection ends.
    pub(super) fn resume(self, tasks: &TaskTracker, guard: impl Send + 'static) -> bool {
        let write_timeout = self.write_timeout;
        let Some((stream, response)) = self.take() else { return false };
        tasks.spawn(async move {
            if let Err(error) = sse_connection::serve(stream, response, write_timeout).await {
                tracing::debug!(%error, "an event stream was interrupted");
            }
            drop(guard);
        });
        true
    }
}

/// Holds a response that leaves the HTTP library.
#[derive(Clone, Default)]
pub(super) struct HandoverSlot(Arc<Mutex<Option<Response<Body>>>>);

impl HandoverSlot {
    /// The slot, if the response to this request may be taken over: HTTP/2 shares a connection between requests,
    /// HTTP/1.0 has no chunks, and only GET has a stream.
    pub(super) fn for_request<B>(&self, request: &Request<B>) -> Option<Self> {
        let suitable = request.version() == Version::HTTP_11 && request.method() == Method::GET;
        suitable.then(|| self.clone())
    }

    /// Stores a long-lived response and returns `HandedOver`; returns any other response unchanged.
    pub(super) fn offer(&self, response: Response<Body>) -> Result<Response<Body>, HandedOver> {
        if response.extensions().get::<LongLived>().is_none() {
            return Ok(response);
        }
        *self.0.lock() = Some(response);
        Err(HandedOver)
    }
}
