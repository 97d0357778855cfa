//! Limits the headers of a form's parts.
//!
//! multer buffers everything that it receives until it finds a boundary and the end of a part's headers, and has no
//! limit for that. So the body is passed to it in small chunks, and reading fails when too many bytes yield nothing.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use axum::BoxError;
use axum::body::{Body, BodyDataStream, Bytes};
use futures::{Stream, StreamExt};

const CHUNK_BYTES: usize = 64 * 1024;
/// Maximum bytes passed to multer before it returns a part or a piece of one. Two chunks, because the end of one part
/// and the headers of the next may lie in different chunks.
const PENDING_LIMIT: usize = 2 * CHUNK_BYTES;

/// The form has no boundary or no end of a part's headers within the limit.
#[derive(Debug)]
pub(super) struct HeadersTooLarge;

impl Error for HeadersTooLarge {}

impl fmt::Display for HeadersTooLarge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "no boundary or end of a part's headers within {PENDING_LIMIT} bytes")
    }
}

/// Counts the bytes that were passed to multer since it last returned something.
#[derive(Clone, Default)]
pub(super) struct PendingBytes(Arc<AtomicUsize>);

impl PendingBytes {
    /// multer returned a part or a piece of one.
    pub(super) fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    fn add(&self, bytes: usize) -> usize {
        self.0.fetch_add(bytes, Ordering::Relaxed) + bytes
    }
}

/// A body in small chunks that fails once too many bytes are pending.
pub(super) struct LimitedBody {
    stream: BodyDataStream,
    buffer: Bytes,
    pending: PendingBytes,
    pauses_next: bool,
}

impl LimitedBody {
    pub(super) fn new(body: Body) -> (Self, PendingBytes) {
        let pending = PendingBytes::default();
        let body = Self {
            stream: body.into_data_stream(),
            buffer: Bytes::new(),
            pending: pending.clone(),
            pauses_next: false,
        };
        (body, pending)
    }
}

impl Stream for LimitedBody {
    type Item = Result<Bytes, BoxError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // multer reads until the stream is pending and only then parses. A pause after each chunk makes it parse that
        // chunk before it reads the next one.
        if std::mem::take(&mut self.pauses_next) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        while self.buffer.is_empty() {
            match ready!(self.stream.poll_next_unpin(context)) {
                Some(Ok(chunk)) => self.buffer = chunk,
                Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
                None => return Poll::Ready(None),
            }
        }
        let length = self.buffer.len().min(CHUNK_BYTES);
        let chunk = self.buffer.split_to(length);
        if self.pending.add(length) > PENDING_LIMIT {
            return Poll::Ready(Some(Err(HeadersTooLarge.into())));
        }
        self.pauses_next = true;
        Poll::Ready(Some(Ok(chunk)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multer::Multipart;

    fn form(text: Vec<u8>) -> (Multipart<'static>, PendingBytes) {
        let (body, pending) = LimitedBody::new(Body::from(text));
        (Multipart::new(body, "B"), pending)
    }

    #[tokio::test]
    async fn headers_without_an_end_are_refused_early() {
        for start in ["--B\r\nContent-Disposition: ", "no boundary "] {
            let mut text = start.as_bytes().to_vec();
            text.resize(10 * PENDING_LIMIT, b'x');
            let (mut parts, pending) = form(text);
            let error = parts.next_field().await.err().unwrap();
            assert!(matches!(error, multer::Error::StreamReadFailed(cause) if cause.is::<HeadersTooLarge>()));
            assert!(pending.add(0) <= PENDING_LIMIT + CHUNK_BYTES);
        }
    }

    #[tokio::test]
    async fn a_large_part_passes_in_small_chunks() {
        let mut text = b"--B\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n".to_vec();
        text.resize(text.len() + 10 * PENDING_LIMIT, b'x');
        text.extend_from_slice(b"\r\n--B--\r\n");
        let (mut parts, pending) = form(text);
        let mut part = parts.next_field().await.unwrap().unwrap();
        let mut bytes = 0;
        while let Some(chunk) = part.chunk().await.unwrap() {
            pending.reset();
            assert!(chunk.len() <= PENDING_LIMIT);
            bytes += chunk.len();
        }
        assert_eq!(bytes, 10 * PENDING_LIMIT);
        drop(part);
        assert!(parts.next_field().await.unwrap().is_none());
    }
}
