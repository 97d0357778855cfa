//! Decides when to give up a client that does not accept the bytes of its response, or accepts too few.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use super::limits::RESPONSE_RATE;
use crate::minimum_rate::TimeCredit;

/// The time that a client of a response may keep us waiting. The write timeout limits one wait; bytes that are accepted
/// add time at the minimum rate, up to that timeout.
pub(super) struct WriteTimer {
    credit: TimeCredit,
    /// Runs while the client accepts no bytes. Boxed, because most writes never wait.
    wait: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl WriteTimer {
    pub(super) fn new(write_timeout: Duration) -> Self {
        Self { credit: TimeCredit::full(RESPONSE_RATE, write_timeout), wait: None }
    }

    /// Records that the client has accepted bytes.
    pub(super) fn accepted(&mut self, bytes: usize) {
        if let Some((since, _)) = self.wait.take() {
            self.credit.spend(since.elapsed());
        }
        self.credit.earn(bytes as u64);
    }

    /// Ready when the client has to be given up, unless it accepts bytes before.
    pub(super) fn poll_given_up(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let left = self.credit.left();
        let (_, timer) =
            self.wait.get_or_insert_with(|| (Instant::now(), Box::pin(tokio::time::sleep(left))));
        timer.as_mut().poll(context)
    }

    /// Begins again, for the next response.
    pub(super) fn restart(&mut self) {
        self.wait = None;
        self.credit.refill();
    }
}
