//! Request bodies: a read times out when the client stops sending, and what no handler has read is discarded.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use auris_domain::limits;
use axum::BoxError;
use axum::body::{Body, BodyDataStream, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use futures::{Stream, StreamExt};
use parking_lot::Mutex;
use tokio::time::{Instant, Sleep};

/// How long a read waits for the next bytes of a client.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum bytes that are read and discarded after the response. More than the largest upload that the API accepts.
const DRAIN_BYTES: u64 = 128 * limits::MEGABYTE;
/// How long a body is read and discarded after the response.
const DRAIN_TIME: Duration = Duration::from_secs(20);

/// The client stopped sending in the middle of a body.
#[derive(Debug)]
struct IdleTimeout;

impl Error for IdleTimeout {}

impl fmt::Display for IdleTimeout {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "no data was received for {} seconds", IDLE_TIMEOUT.as_secs())
    }
}

/// Explains to a client why its body could not be read.
pub(crate) fn explain(error: &(dyn Error + 'static)) -> String {
    let mut causes = std::iter::successors(Some(error), |&error| error.source());
    let timeout = causes.find_map(|cause| cause.downcast_ref::<IdleTimeout>());
    timeout
        .map_or_else(|| "the connection closed before the end of the body".to_owned(), IdleTimeout::to_string)
}

/// Gives access to the part of a body that the handler does not read.
pub(crate) struct UnreadBody {
    body: SharedBody,
    /// The client sends its body only after a `100 Continue`, which the HTTP library sends at the first read.
    awaits_continue: bool,
}

/// Puts the idle timeout on a request's body. Returns `None` if there is no body.
pub(crate) fn watch(request: Request) -> (Request, Option<UnreadBody>) {
    if request.body().is_end_stream() {
        return (request, None);
    }
    let (parts, body) = request.into_parts();
    let body = SharedBody::new(body);
    let unread = UnreadBody { body: body.clone(), awaits_continue: awaits_continue(&parts.headers) };
    (Request::from_parts(parts, Body::from_stream(body)), Some(unread))
}

fn awaits_continue(headers: &HeaderMap) -> bool {
    let expect = headers.get(header::EXPECT);
    expect.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

impl UnreadBody {
    /// Discards the rest of the body while the response is sent: many clients read the response only after they have
    /// sent everything.
    pub(crate) fn drain(self) {
        let has_rest = match self.body.progress() {
            Progress::Untouched => !self.awaits_continue,
            Progress::Begun => true,
            Progress::Ended => false,
        };
        if has_rest {
            tokio::spawn(tokio::time::timeout(DRAIN_TIME, discard(self.body)));
        }
    }
}

async fn discard(mut body: SharedBody) {
    let mut allowed = DRAIN_BYTES;
    while let Some(Ok(chunk)) = body.next().await {
        allowed = allowed.saturating_sub(chunk.len() as u64);
        if allowed == 0 {
            return;
        }
    }
}

/// A body that is read by its handler first and drained afterwards.
#[derive(Clone)]
struct SharedBody(Arc<Mutex<TimedBody>>);

struct TimedBody {
    stream: BodyDataStream,
    idle_timer: Pin<Box<Sleep>>,
    is_waiting: bool,
    progress: Progress,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Progress {
    Untouched,
    Begun,
    Ended,
}

impl SharedBody {
    fn new(body: Body) -> Self {
        Self(Arc::new(Mutex::new(TimedBody {
            stream: body.into_data_stream(),
            idle_timer: Box::pin(tokio::time::sleep(IDLE_TIMEOUT)),
            is_waiting: false,
            progress: Progress::Untouched,
        })))
    }

    fn progress(&self) -> Progress {
        self.0.lock().progress
    }
}

impl Stream for SharedBody {
    type Item = Result<Bytes, BoxError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.lock().poll_chunk(context)
    }
}

impl TimedBody {
    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, BoxError>>> {
        if self.progress == Progress::Ended {
            return Poll::Ready(None);
        }
        self.progress = Progress::Begun;
        let Poll::Ready(chunk) = self.stream.poll_next_unpin(context) else {
            ready!(self.poll_idle_timer(context));
            self.progress = Progress::Ended;
            return Poll::Ready(Some(Err(IdleTimeout.into())));
        };
        self.is_waiting = false;
        if !matches!(chunk, Some(Ok(_))) {
            self.progress = Progress::Ended;
        }
        Poll::Ready(chunk.map(|chunk| chunk.map_err(BoxError::from)))
    }

    /// Counts only the time during which a reader waits for the client, so that a slow disk of ours does not count.
    fn poll_idle_timer(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if !self.is_waiting {
            self.is_waiting = true;
            self.idle_timer.as_mut().reset(Instant::now() + IDLE_TIMEOUT);
        }
        self.idle_timer.as_mut().poll(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(body: Body) -> Request {
        Request::builder().header(header::EXPECT, "100-continue").body(body).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stops_arriving_ends_with_the_reason() {
        let first = futures::stream::iter([Ok::<_, BoxError>(Bytes::from_static(b"{"))]);
        let (request, _unread) = watch(request(Body::from_stream(first.chain(futures::stream::pending()))));
        let mut chunks = request.into_body().into_data_stream();
        assert_eq!(&chunks.next().await.unwrap().unwrap()[..], b"{");
        let error = chunks.next().await.unwrap().unwrap_err();
        assert_eq!(explain(&error), "no data was received for 60 seconds");
        assert!(chunks.next().await.is_none());
    }

    #[tokio::test]
    async fn what_a_handler_did_not_read_is_discarded() {
        let (sender, receiver) = tokio::sync::mpsc::channel::<Result<Bytes, BoxError>>(1);
        let chunks = futures::stream::unfold(receiver, |mut receiver| async move {
            receiver.recv().await.map(|chunk| (chunk, receiver))
        });
        let (request, unread) = watch(request(Body::from_stream(chunks)));
        let mut body = request.into_body().into_data_stream();
        sender.send(Ok(Bytes::from_static(b"read"))).await.unwrap();
        body.next().await.unwrap().unwrap();
        drop(body);
        unread.unwrap().drain();
        for _ in 0..3 {
            sender.send(Ok(Bytes::from_static(b"unread"))).await.unwrap();
        }
        assert!(!sender.is_closed());
    }

    #[tokio::test]
    async fn a_client_that_awaits_100_continue_is_not_asked_to_send() {
        let (request, unread) = watch(request(Body::from("unread")));
        drop(request);
        let unread = unread.unwrap();
        let body = unread.body.clone();
        unread.drain();
        tokio::task::yield_now().await;
        assert_eq!(body.progress(), Progress::Untouched);
    }

    #[tokio::test]
    async fn a_request_without_a_body_has_nothing_to_drain() {
        assert!(watch(request(Body::empty())).1.is_none());
    }
}
