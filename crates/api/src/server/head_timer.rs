//! The time limit for the head of a request.
//!
//! The HTTP library has one limit for the head of a request and the pause before it, and none before it knows whether the
//! client speaks HTTP/1 or HTTP/2.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::time::{Instant, Sleep};

use super::answer_state::AnswerState;
use super::limits::HEAD_TIMEOUT;

/// How an HTTP/2 connection begins, and no request of HTTP/1.
const HTTP2_PREFACE: &[u8] = b"PRI";

/// Runs from the beginning of a connection to the end of its first head, and from the first byte of each later head of
/// HTTP/1 to its end.
pub(super) struct HeadTimer {
    timer: Pin<Box<Sleep>>,
    /// The number of requests that the connection had received when the timer was started.
    requests: usize,
    received: Received,
}

/// What was received since the timer was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Received {
    Nothing,
    /// A part of the head of an HTTP/1 request.
    PartOfHead,
    /// The beginning of an HTTP/2 connection.
    Http2,
}

impl HeadTimer {
    pub(super) fn start() -> Self {
        let timer = Box::pin(tokio::time::sleep(HEAD_TIMEOUT));
        Self { timer, requests: 0, received: Received::Nothing }
    }

    /// Records bytes that were read.
    pub(super) fn record(&mut self, bytes: &[u8], state: &AnswerState) {
        if bytes.is_empty() || !state.awaits_head() {
            return;
        }
        if self.requests != state.requests() {
            self.requests = state.requests();
            self.received = Received::Nothing;
            self.timer.as_mut().reset(Instant::now() + HEAD_TIMEOUT);
        }
        if self.received == Received::Nothing {
            let is_http2 = self.requests == 0 && bytes.starts_with(HTTP2_PREFACE);
            self.received = if is_http2 { Received::Http2 } else { Received::PartOfHead };
        }
    }

    /// Ready when a head is overdue, with what was received instead.
    pub(super) fn poll_overdue(&mut self, state: &AnswerState, context: &mut Context<'_>) -> Poll<Received> {
        if self.requests != state.requests() {
            // The head is complete, and no byte of the next one was received.
            return Poll::Pending;
        }
        ready!(self.timer.as_mut().poll(context));
        Poll::Ready(self.received)
    }
}
