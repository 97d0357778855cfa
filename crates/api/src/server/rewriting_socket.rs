//! A socket that replaces the HTTP library's own error responses with ours, and times out clients that send no request or
//! do not read their response, or read it too slowly.
//!
//! The library answers a request that it cannot parse before any of our code runs, with statuses that the API forbids
//! (414, 431) and without the error body. The bytes on the socket are the only place where that can be changed.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use auris_domain::id::RequestId;
use auris_domain::time::Clock;
use parking_lot::{Mutex, MutexGuard};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use super::answer_state::AnswerState;
use super::head_timer::{HeadTimer, Received};
use super::parse_errors::ParseError;
use super::stalled_write::WriteTimer;
use crate::middleware::access_log::log_unparsable;

/// How long a refused client is still read from. Closing a socket with unread data resets the connection, and the
/// client would lose our response.
const LINGER_TIME: Duration = Duration::from_secs(5);
/// Maximum bytes that are read from a refused client.
const LINGER_BYTES: usize = 2 * 1024 * 1024;
/// An end that makes any unfinished head of a request invalid.
const INVALID_END: &[u8] = b"\0\r\n\r\n";

/// A socket of an HTTP connection.
pub(super) struct RewritingSocket<S> {
    /// Shared with `sse_handover`, which uses it only after the library has dropped this socket.
    stream: Arc<Mutex<S>>,
    answer_state: AnswerState,
    clock: Clock,
    write_timer: WriteTimer,
    head_timer: HeadTimer,
    /// What is still to be read of `INVALID_END`, after a head was overdue.
    invalid_end: Option<&'static [u8]>,
    linger_timer: Option<Pin<Box<Sleep>>>,
    /// The bytes of our own response that were not written yet.
    unwritten: Vec<u8>,
    phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Serving,
    Refused,
    Lingering { allowed_bytes: usize },
}

impl<S: AsyncRead + AsyncWrite + Unpin> RewritingSocket<S> {
    pub(super) fn new(
        stream: Arc<Mutex<S>>,
        answer_state: AnswerState,
        clock: Clock,
        write_timeout: Duration,
    ) -> Self {
        Self {
            stream,
            answer_state,
            clock,
            write_timer: WriteTimer::new(write_timeout),
            head_timer: HeadTimer::start(),
            invalid_end: None,
            linger_timer: None,
            unwritten: Vec::new(),
            phase: Phase::Serving,
        }
    }

    fn stream(&self) -> MutexGuard<'_, S> {
        self.stream.lock()
    }

    /// If the bytes are the library's own error response, prepares ours instead and returns true.
    fn replaces(&mut self, bytes: &[u8]) -> bool {
        if !self.answer_state.is_idle() {
            return false;
        }
        let Some(mut error) = ParseError::from_response(bytes) else { return false };
        if self.invalid_end.is_some() {
            error = ParseError::HeadTooSlow;
        }
        let id = RequestId::generate(self.clock.now());
        log_unparsable(&id, &format!("{error:?}"));
        self.unwritten = error.response(bytes, &id);
        self.phase = Phase::Refused;
        true
    }

    fn poll_unwritten(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.unwritten.is_empty() {
            let written = Pin::new(&mut *self.stream()).poll_write(context, &self.unwritten);
            let written = ready!(self.poll_stalled(written, context))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.unwritten.drain(..written);
        }
        Poll::Ready(Ok(()))
    }

    /// The result of a write. A client that has accepted too few bytes for too long is disconnected.
    fn poll_stalled(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(result) = written {
            self.write_timer.accepted(*result.as_ref().unwrap_or(&0));
            return Poll::Ready(result);
        }
        let must_end = self.answer_state.poll_end(context).is_ready();
        if must_end || self.write_timer.poll_given_up(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }

    /// Ends a head that is overdue. The library then refuses it, and `replaces` sends the true reason.
    fn end_head(&mut self, rest: &'static [u8], buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let (next, rest) = rest.split_at(rest.len().min(buffer.remaining()));
        self.invalid_end = Some(rest);
        if next.is_empty() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        buffer.put_slice(next);
        Poll::Ready(Ok(()))
    }

    fn poll_linger(&mut self, mut allowed_bytes: usize, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut scratch = [0; 8 * 1024];
        while allowed_bytes > 0 {
            let mut buffer = ReadBuf::new(&mut scratch);
            let read = Pin::new(&mut *self.stream()).poll_read(context, &mut buffer);
            if read.is_pending() {
                self.phase = Phase::Lingering { allowed_bytes };
                let timer =
                    self.linger_timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(LINGER_TIME)));
                return timer.as_mut().poll(context).map(Ok);
            }
            if buffer.filled().is_empty() {
                break;
            }
            allowed_bytes = allowed_bytes.saturating_sub(buffer.filled().len());
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for RewritingSocket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if let Some(rest) = this.invalid_end {
            return this.end_head(rest, buffer);
        }
        let filled = buffer.filled().len();
        let read = Pin::new(&mut *this.stream()).poll_read(context, buffer);
        if read.is_ready() {
            this.head_timer.record(buffer.filled().get(filled..).unwrap_or_default(), &this.answer_state);
            return read;
        }
        match ready!(this.head_timer.poll_overdue(&this.answer_state, context)) {
            Received::PartOfHead => this.end_head(INVALID_END, buffer),
            Received::Nothing | Received::Http2 => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for RewritingSocket<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.replaces(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        ready!(self.poll_unwritten(context))?;
        let written = Pin::new(&mut *self.stream()).poll_write(context, bytes);
        self.poll_stalled(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let first = slices.iter().find(|slice| !slice.is_empty());
        if first.is_some_and(|bytes| self.replaces(bytes)) {
            return Poll::Ready(Ok(slices.iter().map(|slice| slice.len()).sum()));
        }
        ready!(self.poll_unwritten(context))?;
        let written = Pin::new(&mut *self.stream()).poll_write_vectored(context, slices);
        self.poll_stalled(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream().is_write_vectored()
    }

    /// The library flushes only after it has written all bytes that it had.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.answer_state.flushed();
        if self.answer_state.is_idle() && self.unwritten.is_empty() {
            self.write_timer.restart();
        }
        ready!(self.poll_unwritten(context))?;
        Pin::new(&mut *self.stream()).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_unwritten(context))?;
        match self.phase {
            Phase::Serving => Pin::new(&mut *self.stream()).poll_shutdown(context),
            Phase::Refused => {
                ready!(Pin::new(&mut *self.stream()).poll_shutdown(context))?;
                self.poll_linger(LINGER_BYTES, context)
            }
            Phase::Lingering { allowed_bytes } => self.poll_linger(allowed_bytes, context),
        }
    }
}
