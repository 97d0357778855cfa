//! A request's body on its way in: nobody waits for it without end, and what no handler read is read off afterwards.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use auris_domain::limits;
use axum::BoxError;
use axum::body::{Body, BodyDataStream, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header;
use futures::{Stream, StreamExt};
use tokio::time::{Instant, Sleep};

const IDLE: Duration = Duration::from_secs(60);
const DRAIN_BYTES: u64 = 128 * limits::MEGABYTE;
const DRAIN_TIME: Duration = Duration::from_secs(20);

/// A client that has begun to send did not go on.
#[derive(Debug)]
struct Idle;

impl Error for Idle {}

impl fmt::Display for Idle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "no more of it came for {} seconds", IDLE.as_secs())
    }
}

/// What to tell a client whose body could not be read to its end.
pub(crate) fn explain(error: &(dyn Error + 'static)) -> String {
    let mut causes = std::iter::successors(Some(error), |&error| error.source());
    let idle = causes.find_map(|cause| cause.downcast_ref::<Idle>());
    idle.map_or_else(|| "it broke off before its end".to_owned(), Idle::to_string)
}

/// What a handler leaves unread of a body.
pub(crate) struct Rest {
    body: Shared,
    /// The client sends nothing before it was told to, which the first look into the body does.
    waits_for_word: bool,
}

/// Puts the watch on a request's body. One without a body has no rest.
pub(crate) fn watch(request: Request) -> (Request, Option<Rest>) {
    if request.body().is_end_stream() {
        return (request, None);
    }
    let (parts, body) = request.into_parts();
    let expects = parts.headers.get(header::EXPECT).map(|value| value.as_bytes());
    let waits_for_word = expects.is_some_and(|value| value.eq_ignore_ascii_case(b"100-continue"));
    let body = Shared::new(body);
    let rest = Rest { body: body.clone(), waits_for_word };
    (Request::from_parts(parts, Body::from_stream(body)), Some(rest))
}

impl Rest {
    /// Reads on for a while beside the answer: many clients do not hear an answer before they have sent everything.
    pub(crate) fn drain(self) {
        let wanted = match self.body.progress() {
            Progress::Untouched => !self.waits_for_word,
            Progress::Begun => true,
            Progress::Ended => false,
        };
        if wanted {
            tokio::spawn(tokio::time::timeout(DRAIN_TIME, discard(self.body)));
        }
    }
}

async fn discard(mut body: Shared) {
    let mut left = DRAIN_BYTES;
    while let Some(Ok(chunk)) = body.next().await {
        left = left.saturating_sub(chunk.len() as u64);
        if left == 0 {
            return;
        }
    }
}

/// One body, in the hands of its handler and of the drain.
#[derive(Clone)]
struct Shared(Arc<Mutex<Source>>);

struct Source {
    stream: BodyDataStream,
    patience: Pin<Box<Sleep>>,
    waiting: bool,
    progress: Progress,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Progress {
    Untouched,
    Begun,
    Ended,
}

impl Shared {
    fn new(body: Body) -> Self {
        Self(Arc::new(Mutex::new(Source {
            stream: body.into_data_stream(),
            patience: Box::pin(tokio::time::sleep(IDLE)),
            waiting: false,
            progress: Progress::Untouched,
        })))
    }

    fn progress(&self) -> Progress {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).progress
    }
}

impl Stream for Shared {
    type Item = Result<Bytes, BoxError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).poll_chunk(context)
    }
}

impl Source {
    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, BoxError>>> {
        if self.progress == Progress::Ended {
            return Poll::Ready(None);
        }
        self.progress = Progress::Begun;
        let Poll::Ready(chunk) = self.stream.poll_next_unpin(context) else {
            ready!(self.poll_patience(context));
            self.progress = Progress::Ended;
            return Poll::Ready(Some(Err(Idle.into())));
        };
        self.waiting = false;
        if !matches!(chunk, Some(Ok(_))) {
            self.progress = Progress::Ended;
        }
        Poll::Ready(chunk.map(|chunk| chunk.map_err(BoxError::from)))
    }

    /// Only the time in which somebody waits for the client counts, not that in which a disk is slow.
    fn poll_patience(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if !self.waiting {
            self.waiting = true;
            self.patience.as_mut().reset(Instant::now() + IDLE);
        }
        self.patience.as_mut().poll(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(body: Body) -> Request {
        Request::builder().header(header::EXPECT, "100-continue").body(body).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stops_coming_ends_with_the_reason() {
        let first = futures::stream::iter([Ok::<_, BoxError>(Bytes::from_static(b"{"))]);
        let (request, _rest) = watch(request(Body::from_stream(first.chain(futures::stream::pending()))));
        let mut chunks = request.into_body().into_data_stream();
        assert_eq!(&chunks.next().await.unwrap().unwrap()[..], b"{");
        let error = chunks.next().await.unwrap().unwrap_err();
        assert_eq!(explain(&error), "no more of it came for 60 seconds");
        assert!(chunks.next().await.is_none());
    }

    #[tokio::test]
    async fn what_a_handler_left_is_read_off() {
        let (sender, receiver) = tokio::sync::mpsc::channel::<Result<Bytes, BoxError>>(1);
        let chunks = futures::stream::unfold(receiver, |mut receiver| async move {
            receiver.recv().await.map(|chunk| (chunk, receiver))
        });
        let (request, rest) = watch(request(Body::from_stream(chunks)));
        let mut body = request.into_body().into_data_stream();
        sender.send(Ok(Bytes::from_static(b"read"))).await.unwrap();
        body.next().await.unwrap().unwrap();
        drop(body);
        rest.unwrap().drain();
        for _ in 0..3 {
            sender.send(Ok(Bytes::from_static(b"left"))).await.unwrap();
        }
        assert!(!sender.is_closed());
    }

    #[tokio::test]
    async fn a_client_that_waits_for_word_is_not_asked_to_send() {
        let (request, rest) = watch(request(Body::from("unread")));
        drop(request);
        let rest = rest.unwrap();
        let body = rest.body.clone();
        rest.drain();
        tokio::task::yield_now().await;
        assert_eq!(body.progress(), Progress::Untouched);
    }

    #[tokio::test]
    async fn a_request_without_a_body_has_no_rest() {
        assert!(watch(request(Body::empty())).1.is_none());
    }
}
