//! Tracks whether a connection is sending one of our responses. Its socket and its service share this state.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Decides whether the bytes that are written to a connection can belong to a response of ours.
#[derive(Clone, Default)]
pub(super) struct AnswerState(Arc<Flags>);

#[derive(Default)]
struct Flags {
    /// Responses that are being computed or sent.
    open_answers: AtomicUsize,
    /// A response may have bytes that were not written yet.
    is_writing: AtomicBool,
    has_received_request: AtomicBool,
    is_http2: AtomicBool,
}

/// A response that is being computed or sent; it ends on drop.
pub(super) struct OpenAnswer(AnswerState);

impl AnswerState {
    /// Records that a request was received and will be answered.
    pub(super) fn begin(&self, is_http2: bool) -> OpenAnswer {
        self.0.open_answers.fetch_add(1, Ordering::SeqCst);
        self.0.is_writing.store(true, Ordering::SeqCst);
        self.0.has_received_request.store(true, Ordering::SeqCst);
        self.0.is_http2.fetch_or(is_http2, Ordering::SeqCst);
        OpenAnswer(self.clone())
    }

    /// Records that the HTTP library has written all bytes that it had.
    pub(super) fn flushed(&self) {
        if self.0.open_answers.load(Ordering::SeqCst) == 0 {
            self.0.is_writing.store(false, Ordering::SeqCst);
        }
    }

    /// Whether no response of ours is being sent, so that bytes written now come from the HTTP library itself. Never
    /// true for HTTP/2, which interleaves responses and has no textual error responses.
    pub(super) fn is_idle(&self) -> bool {
        !self.0.is_writing.load(Ordering::SeqCst) && !self.0.is_http2.load(Ordering::SeqCst)
    }

    /// Whether the connection has ever received a request.
    pub(super) fn has_received_request(&self) -> bool {
        self.0.has_received_request.load(Ordering::SeqCst)
    }
}

impl Drop for OpenAnswer {
    fn drop(&mut self) {
        self.0.0.open_answers.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_idle_only_after_the_last_byte_of_a_response() {
        let state = AnswerState::default();
        assert!(state.is_idle() && !state.has_received_request());
        let answer = state.begin(false);
        state.flushed();
        assert!(!state.is_idle());
        drop(answer);
        assert!(!state.is_idle(), "its last bytes may still be buffered");
        state.flushed();
        assert!(state.is_idle());
    }

    #[test]
    fn an_http2_connection_is_never_idle() {
        let state = AnswerState::default();
        drop(state.begin(true));
        state.flushed();
        assert!(!state.is_idle());
    }
}
