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
