//! Tracks what a connection is doing: receiving a request, sending one of our responses, or nothing. Its socket and its
//! service share this state.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::end_signal::EndSignal;

/// Decides whether the bytes that are written to a connection can belong to a response of ours, and whether the bytes
/// that are read can belong to the head of a request.
#[derive(Clone)]
pub(super) struct AnswerState(Arc<Flags>);

struct Flags {
    /// Responses that are being computed or sent.
    open_answers: AtomicUsize,
    /// Those of them that keep the connection open even if new clients wait for one: all but public ones.
    kept_answers: AtomicUsize,
    /// Request bodies that are being received.
    open_bodies: AtomicUsize,
    /// A response may have bytes that were not written yet.
    is_writing: AtomicBool,
    /// The same for responses that are not public.
    is_writing_kept: AtomicBool,
    /// Requests whose heads were received.
    requests: AtomicUsize,
    is_http2: AtomicBool,
    /// When the last response ended, or when the connection was opened.
    last_end: Mutex<Instant>,
    /// Completes when the current response of an HTTP/1 connection must end, although its client does not read it.
    end: Mutex<Option<BoxFuture<'static, ()>>>,
}

/// A response that is being computed or sent; it ends on drop.
pub(super) struct OpenAnswer {
    state: AnswerState,
    /// Whether it is for everybody, so that the connection need not stay open for it.
    is_public: bool,
    /// Whether bytes of earlier responses had to be written when its request came.
    was_writing_kept: bool,
}

/// The body of a request that is being received; it ends on drop.
pub(super) struct OpenBody(AnswerState);

impl Default for AnswerState {
    fn default() -> Self {
        Self(Arc::new(Flags {
            open_answers: AtomicUsize::default(),
            kept_answers: AtomicUsize::default(),
            open_bodies: AtomicUsize::default(),
            is_writing: AtomicBool::default(),
            is_writing_kept: AtomicBool::default(),
            requests: AtomicUsize::default(),
            is_http2: AtomicBool::default(),
            last_end: Mutex::new(Instant::now()),
            end: Mutex::default(),
        }))
    }
}

impl AnswerState {
    /// Records that a request was received and will be answered.
    pub(super) fn begin(&self, is_http2: bool) -> OpenAnswer {
        self.0.open_answers.fetch_add(1, Ordering::SeqCst);
        self.0.kept_answers.fetch_add(1, Ordering::SeqCst);
        self.0.is_writing.store(true, Ordering::SeqCst);
        let was_writing_kept = self.0.is_writing_kept.swap(true, Ordering::SeqCst);
        self.0.requests.fetch_add(1, Ordering::SeqCst);
        self.0.is_http2.fetch_or(is_http2, Ordering::SeqCst);
        OpenAnswer { state: self.clone(), is_public: false, was_writing_kept }
    }

    /// Records that the body of a request will be received.
    pub(super) fn begin_body(&self) -> OpenBody {
        self.0.open_bodies.fetch_add(1, Ordering::SeqCst);
        OpenBody(self.clone())
    }

    /// Records that the HTTP library has written all bytes that it had.
    pub(super) fn flushed(&self) {
        if self.0.open_answers.load(Ordering::SeqCst) == 0 {
            self.0.is_writing.store(false, Ordering::SeqCst);
        }
        if self.0.kept_answers.load(Ordering::SeqCst) == 0 {
            self.0.is_writing_kept.store(false, Ordering::SeqCst);
        }
    }

    /// Whether no response of ours is being sent, so that bytes written now come from the HTTP library itself. Never
    /// true for HTTP/2, which interleaves responses and has no textual error responses.
    pub(super) fn is_idle(&self) -> bool {
        !self.0.is_writing.load(Ordering::SeqCst) && !self.0.is_http2.load(Ordering::SeqCst)
    }

    /// The number of requests that the connection has received.
    pub(super) fn requests(&self) -> usize {
        self.0.requests.load(Ordering::SeqCst)
    }

    /// Whether bytes that are read now belong to the head of a request. Never true for HTTP/2 after its first request.
    pub(super) fn awaits_head(&self) -> bool {
        let has_request = self.has_answer() || self.0.open_bodies.load(Ordering::SeqCst) > 0;
        !has_request && !self.0.is_http2.load(Ordering::SeqCst)
    }

    /// Since when the connection has had no request to answer; `None` while it has one. A public response that is being
    /// sent does not count, nor does a body that still arrives after its response was sent and is only discarded.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let is_busy =
            self.0.kept_answers.load(Ordering::SeqCst) > 0 || self.0.is_writing_kept.load(Ordering::SeqCst);
        (!is_busy).then(|| *self.0.last_end.lock())
    }

    /// Ready when the current response of an HTTP/1 connection must end. The wait goes on from call to call, so that a
    /// client that accepts a byte now and then does not delay it.
    pub(super) fn poll_end(&self, context: &mut Context<'_>) -> Poll<()> {
        self.0.end.lock().as_mut().map_or(Poll::Pending, |end| end.as_mut().poll(context))
    }

    fn has_answer(&self) -> bool {
        self.0.open_answers.load(Ordering::SeqCst) > 0
    }
}

impl OpenAnswer {
    /// Sets when the response must end; `None` if only its own end counts.
    pub(super) fn set_end_signal(&self, signal: Option<EndSignal>) {
        *self.state.0.end.lock() = signal.map(|signal| signal.wait().fuse().boxed());
    }

    /// Records that the response is for everybody: a client that does not read it must not keep others out.
    pub(super) fn set_public(&mut self) {
        if std::mem::replace(&mut self.is_public, true) {
            return;
        }
        let flags = &self.state.0;
        let is_last = flags.kept_answers.fetch_sub(1, Ordering::SeqCst) == 1;
        if is_last && !self.was_writing_kept {
            flags.is_writing_kept.store(false, Ordering::SeqCst);
        }
    }
}

impl Drop for OpenAnswer {
    fn drop(&mut self) {
        let flags = &self.state.0;
        *flags.last_end.lock() = Instant::now();
        flags.open_answers.fetch_sub(1, Ordering::SeqCst);
        if !self.is_public {
            flags.kept_answers.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

impl Drop for OpenBody {
    fn drop(&mut self) {
        self.0.0.open_bodies.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_idle_only_after_the_last_byte_of_a_response() {
        let state = AnswerState::default();
        assert!(state.is_idle() && state.idle_since().is_some() && state.requests() == 0);
        let answer = state.begin(false);
        state.flushed();
        assert!(!state.is_idle() && state.idle_since().is_none());
        drop(answer);
        assert!(!state.is_idle() && state.idle_since().is_none(), "its last bytes may still be buffered");
        state.flushed();
        assert!(state.is_idle() && state.idle_since().is_some());
    }

    #[test]
    fn a_connection_whose_request_is_answered_is_idle_while_the_rest_of_the_body_arrives() {
        let state = AnswerState::default();
        let (answer, body) = (state.begin(false), state.begin_body());
        state.flushed();
        assert!(!state.awaits_head() && state.idle_since().is_none());
        drop(answer);
        state.flushed();
        assert!(!state.awaits_head(), "what arrives belongs to the body");
        assert!(state.idle_since().is_some());
        drop(body);
        assert!(state.awaits_head() && state.idle_since().is_some());
    }

    #[test]
    fn a_public_response_does_not_keep_a_connection_busy_but_one_beside_it_does() {
        let state = AnswerState::default();
        let mut public = state.begin(false);
        assert!(state.idle_since().is_none(), "it is not known yet what the response is");
        public.set_public();
        assert!(state.idle_since().is_some() && !state.is_idle());
        let other = state.begin(false);
        assert!(state.idle_since().is_none());
        drop(other);
        let mut next = state.begin(false);
        next.set_public();
        assert!(state.idle_since().is_none(), "the last bytes of the other one may still be buffered");
        drop((public, next));
        state.flushed();
        assert!(state.is_idle() && state.idle_since().is_some());
    }

    #[test]
    fn an_http2_connection_has_no_responses_of_the_library() {
        let state = AnswerState::default();
        drop(state.begin(true));
        state.flushed();
        assert!(!state.is_idle() && !state.awaits_head());
        assert!(state.idle_since().is_some());
    }
}
