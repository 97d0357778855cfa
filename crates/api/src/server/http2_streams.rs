//! Runs the streams of HTTP/2 connections, and resets a stream whose client does not accept its response.
//!
//! The HTTP library waits for a client without a limit, and the only way to end that wait is to drop the stream's future.
//! It does not report whether it waits either, so the body of a response (`tracked_body`) records when the library has
//! taken a piece of it and has not asked for the next. The stream and its body share that record through a task-local
//! value.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::BoxFuture;
use hyper::rt::Executor;
use parking_lot::Mutex;
use tokio::time::Sleep;

use crate::sse::EndSignal;

tokio::task_local! {
    static CURRENT: StreamWrite;
}

/// Spawns the streams of HTTP/2 connections.
#[derive(Debug, Clone, Copy)]
pub(super) struct StreamExecutor {
    pub(super) write_timeout: Duration,
}

impl<F> Executor<F> for StreamExecutor
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        let write = StreamWrite::default();
        let mut watch = WriteWatch::new(write.clone(), self.write_timeout);
        let watched = async move {
            tokio::select! {
                biased;
                () = stream => {}
                () = poll_fn(|context| watch.poll_given_up(context)) => {
                    tracing::debug!("a client does not read a response; its stream is reset");
                }
            }
        };
        tokio::spawn(CURRENT.scope(write, watched));
    }
}

/// How far the response of one stream was written. The stream's task and the body of its response share it.
#[derive(Clone, Default)]
pub(super) struct StreamWrite(Arc<WriteProgress>);

#[derive(Default)]
struct WriteProgress {
    /// Pieces of the response that were passed to the HTTP library.
    pieces: AtomicU64,
    /// The library has not asked for the next piece.
    is_waiting: AtomicBool,
    end_signal: Mutex<Option<EndSignal>>,
}

impl StreamWrite {
    /// The stream that this task runs; `None` outside HTTP/2.
    pub(super) fn current() -> Option<Self> {
        CURRENT.try_with(Self::clone).ok()
    }

    /// Sets when the response must end.
    pub(super) fn set_end_signal(&self, signal: Option<EndSignal>) {
        *self.0.end_signal.lock() = signal;
    }

    /// Records that the library asks for a piece, so that it has passed on all earlier ones.
    pub(super) fn asked(&self) {
        self.0.is_waiting.store(false, Ordering::SeqCst);
    }

    /// Records that the library got a piece.
    pub(super) fn passed(&self) {
        self.0.pieces.fetch_add(1, Ordering::SeqCst);
        self.0.is_waiting.store(true, Ordering::SeqCst);
    }

    /// The number of the piece that the client has not accepted yet.
    fn waiting_piece(&self) -> Option<u64> {
        let is_waiting = self.0.is_waiting.load(Ordering::SeqCst);
        is_waiting.then(|| self.0.pieces.load(Ordering::SeqCst))
    }
}

/// Decides when a stream must be reset. It is polled after the stream whenever the stream was polled.
struct WriteWatch {
    write: StreamWrite,
    timeout: Duration,
    /// The piece that the timer runs for.
    timer: Option<(u64, Pin<Box<Sleep>>)>,
    end: Option<BoxFuture<'static, ()>>,
}

impl WriteWatch {
    fn new(write: StreamWrite, timeout: Duration) -> Self {
        Self { write, timeout, timer: None, end: None }
    }

    fn poll_given_up(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(piece) = self.write.waiting_piece() else {
            self.timer = None;
            return Poll::Pending;
        };
        if self.poll_end(context).is_ready() {
            return Poll::Ready(());
        }
        if self.timer.as_ref().is_none_or(|(timed, _)| *timed != piece) {
            self.timer = Some((piece, Box::pin(tokio::time::sleep(self.timeout))));
        }
        match &mut self.timer {
            Some((_, timer)) => timer.as_mut().poll(context),
            None => Poll::Pending,
        }
    }

    /// Ready when the response must end. Waited for only while the client does not read: a client that reads receives
    /// what the response itself says at its end.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.end.is_none() {
            self.end = self.write.0.end_signal.lock().take().map(|signal| signal.wait());
        }
        self.end.as_mut().map_or(Poll::Pending, |end| end.as_mut().poll(context))
    }
}
