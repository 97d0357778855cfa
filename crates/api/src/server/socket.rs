//! A socket that puts our answers in the place of the HTTP library's own, and gives up clients that never ask.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use auris_domain::id::RequestId;
use auris_domain::time::Clock;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use super::connection::HEAD_TIME;
use super::exchange::Exchange;
use super::unreadable::Problem;
use crate::middleware::request::tell_unreadable;

/// After such an answer the client is listened to for a while: closing on what it still sends would take the answer
/// away from it.
const LINGER_TIME: Duration = Duration::from_secs(5);
const LINGER_BYTES: usize = 2 * 1024 * 1024;

pub(super) struct Socket<S> {
    /// Shared with who takes the connection over; only one of them ever uses it.
    stream: Arc<Mutex<S>>,
    exchange: Exchange,
    clock: Clock,
    /// Until the first request, then for lingering.
    timer: Pin<Box<Sleep>>,
    /// Our own answer, as far as it was not written yet.
    answer: Vec<u8>,
    phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Serving,
    Refused,
    Lingering { left: usize },
}

impl<S: AsyncRead + AsyncWrite + Unpin> Socket<S> {
    pub(super) fn new(stream: Arc<Mutex<S>>, exchange: Exchange, clock: Clock) -> Self {
        let timer = Box::pin(tokio::time::sleep(HEAD_TIME));
        Self { stream, exchange, clock, timer, answer: Vec::new(), phase: Phase::Serving }
    }

    fn stream(&self) -> MutexGuard<'_, S> {
        // Nothing of ours stands between its states, so a panic leaves it as it was.
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the library's own answer off the wire and lays ours ready.
    fn replaces(&mut self, head: &[u8]) -> bool {
        let problem = if self.exchange.is_quiet() { Problem::of(head) } else { None };
        let Some(problem) = problem else { return false };
        let id = RequestId::generate(self.clock.now());
        tell_unreadable(&id, &format!("{problem:?}"));
        self.answer = problem.answer(head, &id);
        self.phase = Phase::Refused;
        true
    }

    fn poll_answer(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.answer.is_empty() {
            let written = ready!(Pin::new(&mut *self.stream()).poll_write(context, &self.answer))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.answer.drain(..written);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_linger(&mut self, mut left: usize, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut scratch = [0; 8 * 1024];
        while left > 0 {
            let mut buffer = ReadBuf::new(&mut scratch);
            let read = Pin::new(&mut *self.stream()).poll_read(context, &mut buffer);
            if read.is_pending() {
                self.phase = Phase::Lingering { left };
                return self.timer.as_mut().poll(context).map(Ok);
            }
            if buffer.filled().is_empty() {
                break;
            }
            left = left.saturating_sub(buffer.filled().len());
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Socket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Poll::Ready(read) = Pin::new(&mut *self.stream()).poll_read(context, buffer) {
            return Poll::Ready(read);
        }
        // The library has no patience of its own before it knows which HTTP it is spoken to.
        if self.exchange.has_begun() || self.timer.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Socket<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.replaces(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        ready!(self.poll_answer(context))?;
        Pin::new(&mut *self.stream()).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let first = slices.iter().find(|slice| !slice.is_empty());
        if first.is_some_and(|head| self.replaces(head)) {
            return Poll::Ready(Ok(slices.iter().map(|slice| slice.len()).sum()));
        }
        ready!(self.poll_answer(context))?;
        Pin::new(&mut *self.stream()).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream().is_write_vectored()
    }

    /// The library flushes only what it has written to the last byte.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.exchange.flushed();
        ready!(self.poll_answer(context))?;
        Pin::new(&mut *self.stream()).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_answer(context))?;
        match self.phase {
            Phase::Serving => Pin::new(&mut *self.stream()).poll_shutdown(context),
            Phase::Refused => {
                ready!(Pin::new(&mut *self.stream()).poll_shutdown(context))?;
                self.timer.as_mut().reset(Instant::now() + LINGER_TIME);
                self.poll_linger(LINGER_BYTES, context)
            }
            Phase::Lingering { left } => self.poll_linger(left, context),
        }
    }
}
