//! Feeds a body to the form reader, which keeps all it is given until it finds the end of a part's headers: in small
//! pieces, and no more of them than headers may take.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use axum::BoxError;
use axum::body::{Body, BodyDataStream, Bytes};
use futures::{Stream, StreamExt};

const PIECE_BYTES: usize = 64 * 1024;
/// What may be given without a part or a piece of one coming out of it.
const BARREN_BYTES: usize = 2 * PIECE_BYTES;

/// The form went on without a part.
#[derive(Debug)]
pub(super) struct Barren;

impl Error for Barren {}

impl fmt::Display for Barren {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{BARREN_BYTES} bytes came without a boundary or the end of a part's headers")
    }
}

/// How much was given since something came of it.
#[derive(Clone, Default)]
pub(super) struct Gauge(Arc<AtomicUsize>);

impl Gauge {
    /// Something came of it.
    pub(super) fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    fn add(&self, bytes: usize) -> usize {
        self.0.fetch_add(bytes, Ordering::Relaxed) + bytes
    }
}

/// The body in pieces.
pub(super) struct Feed {
    stream: BodyDataStream,
    held: Bytes,
    gauge: Gauge,
    pausing: bool,
}

impl Feed {
    pub(super) fn new(body: Body) -> (Self, Gauge) {
        let gauge = Gauge::default();
        let stream = body.into_data_stream();
        (Self { stream, held: Bytes::new(), gauge: gauge.clone(), pausing: false }, gauge)
    }
}

impl Stream for Feed {
    type Item = Result<Bytes, BoxError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // The reader takes all that is there before it looks at it; a pause after each piece makes it look.
        if std::mem::take(&mut self.pausing) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        while self.held.is_empty() {
            match ready!(self.stream.poll_next_unpin(context)) {
                Some(Ok(chunk)) => self.held = chunk,
                Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
                None => return Poll::Ready(None),
            }
        }
        let length = self.held.len().min(PIECE_BYTES);
        let piece = self.held.split_to(length);
        if self.gauge.add(length) > BARREN_BYTES {
            return Poll::Ready(Some(Err(Barren.into())));
        }
        self.pausing = true;
        Poll::Ready(Some(Ok(piece)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multer::Multipart;

    fn form(text: Vec<u8>) -> (Multipart<'static>, Gauge) {
        let (feed, gauge) = Feed::new(Body::from(text));
        (Multipart::new(feed, "B"), gauge)
    }

    #[tokio::test]
    async fn headers_without_an_end_are_refused_early() {
        for start in ["--B\r\nContent-Disposition: ", "no boundary "] {
            let mut text = start.as_bytes().to_vec();
            text.resize(10 * BARREN_BYTES, b'x');
            let (mut parts, gauge) = form(text);
            let error = parts.next_field().await.err().unwrap();
            assert!(matches!(error, multer::Error::StreamReadFailed(cause) if cause.is::<Barren>()));
            assert!(gauge.add(0) <= BARREN_BYTES + PIECE_BYTES);
        }
    }

    #[tokio::test]
    async fn a_large_part_passes_in_pieces() {
        let mut text = b"--B\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n".to_vec();
        text.resize(text.len() + 10 * BARREN_BYTES, b'x');
        text.extend_from_slice(b"\r\n--B--\r\n");
        let (mut parts, gauge) = form(text);
        let mut part = parts.next_field().await.unwrap().unwrap();
        let mut bytes = 0;
        while let Some(chunk) = part.chunk().await.unwrap() {
            gauge.reset();
            assert!(chunk.len() <= BARREN_BYTES);
            bytes += chunk.len();
        }
        assert_eq!(bytes, 10 * BARREN_BYTES);
        drop(part);
        assert!(parts.next_field().await.unwrap().is_none());
    }
}
