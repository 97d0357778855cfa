//! Where a connection stands between requests and answers, shared by its socket and its service.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Tells whether bytes on their way out can be a part of an answer of ours.
#[derive(Clone, Default)]
pub(super) struct Exchange(Arc<State>);

#[derive(Default)]
struct State {
    answers: AtomicUsize,
    /// Some answer may have bytes that were not written yet.
    busy: AtomicBool,
    begun: AtomicBool,
    multiplexed: AtomicBool,
}

/// An answer that is being made or sent.
pub(super) struct Answering(Exchange);

impl Exchange {
    /// A request was read.
    pub(super) fn begin(&self, multiplexed: bool) -> Answering {
        self.0.answers.fetch_add(1, Ordering::SeqCst);
        self.0.busy.store(true, Ordering::SeqCst);
        self.0.begun.store(true, Ordering::SeqCst);
        self.0.multiplexed.fetch_or(multiplexed, Ordering::SeqCst);
        Answering(self.clone())
    }

    /// All that there was to write has been written.
    pub(super) fn flushed(&self) {
        if self.0.answers.load(Ordering::SeqCst) == 0 {
            self.0.busy.store(false, Ordering::SeqCst);
        }
    }

    /// Whether no answer of ours is under way, so that what is written now is the HTTP library's own.
    pub(super) fn is_quiet(&self) -> bool {
        !self.0.busy.load(Ordering::SeqCst) && !self.0.multiplexed.load(Ordering::SeqCst)
    }

    /// Whether a request was ever read.
    pub(super) fn has_begun(&self) -> bool {
        self.0.begun.load(Ordering::SeqCst)
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.0.answers.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_quiet_only_after_the_last_byte_of_an_answer() {
        let exchange = Exchange::default();
        assert!(exchange.is_quiet() && !exchange.has_begun());
        let answering = exchange.begin(false);
        exchange.flushed();
        assert!(!exchange.is_quiet());
        drop(answering);
        assert!(!exchange.is_quiet(), "its last bytes may still be buffered");
        exchange.flushed();
        assert!(exchange.is_quiet());
    }

    #[test]
    fn a_connection_of_many_streams_is_never_quiet() {
        let exchange = Exchange::default();
        drop(exchange.begin(true));
        exchange.flushed();
        assert!(!exchange.is_quiet());
    }
}
