//! Runs the streams of HTTP/2 connections, and resets a stream whose client does not accept its response, or
//! accepts it too slowly.
//!
//! The HTTP library waits for a client without a limit, and the only way to end that wait is to drop the stream's future.
//! The library does not report that it waits. So the body of a response (`tracked_body`) records when the library has
//! taken a piece of it and has not asked for the next one. The stream and its body share that record through a
//! task-local value.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::BoxFuture;
use hyper::rt::Executor;
use parking_lot::Mutex;

use super::stalled_write::WriteTimer;
use crate::end_signal::EndSignal;

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
        let write = StreamWrite::new(self.write_timeout);
        let watch = write.clone();
        let watched = async move {
            tokio::select! {
                biased;
                () = stream => {}
                // Polled after the stream whenever the stream was polled.
                () = poll_fn(|context| watch.poll_given_up(context)) => {
                    tracing::debug!("a client does not read a response; its stream is reset");
                }
            }
        };
        tokio::spawn(CURRENT.scope(write, watched));
    }
}

/// How far the response of one stream was written. The stream's task and the body of its response share it.
#[derive(Clone)]
pub(super) struct StreamWrite(Arc<Mutex<WriteProgress>>);

struct WriteProgress {
    timer: WriteTimer,
    /// The bytes of the piece that the library has; `None` when it has asked for the next.
    waiting_bytes: Option<usize>,
    /// Completes when the response must end.
    end: Option<BoxFuture<'static, ()>>,
}

impl StreamWrite {
    fn new(write_timeout: Duration) -> Self {
        let timer = WriteTimer::new(write_timeout);
        Self(Arc::new(Mutex::new(WriteProgress { timer, waiting_bytes: None, end: None })))
    }

    /// The stream that this task runs; `None` outside HTTP/2.
    pub(super) fn current() -> Option<Self> {
        CURRENT.try_with(Self::clone).ok()
    }

    /// Sets when the response must end.
    pub(super) fn set_end_signal(&self, signal: Option<EndSignal>) {
        self.0.lock().end = signal.map(|signal| signal.wait());
    }

    /// Records that the library asks for a piece, so that it has passed on all earlier ones.
    pub(super) fn asked(&self) {
        let mut progress = self.0.lock();
        if let Some(bytes) = progress.waiting_bytes.take() {
            progress.timer.accepted(bytes);
        }
    }

    /// Records that the library got a piece.
    pub(super) fn passed(&self, bytes: usize) {
        self.0.lock().waiting_bytes = Some(bytes);
    }

    /// Ready when the stream must be reset: the client has not accepted a piece in time, or the response must end. That
    /// is waited for only while the client does not read: a client that reads receives what the response itself says
    /// at its end.
    fn poll_given_up(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut progress = self.0.lock();
        if progress.waiting_bytes.is_none() {
            return Poll::Pending;
        }
        if progress.end.as_mut().is_some_and(|end| end.as_mut().poll(context).is_ready()) {
            return Poll::Ready(());
        }
        progress.timer.poll_given_up(context)
    }
}
