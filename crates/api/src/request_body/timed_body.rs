//! A body that is read by its handler first and drained afterwards. Reading fails when the client stops sending, or
//! sends more slowly than the minimum rate.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::{Body, BodyDataStream, Bytes};
use futures::{Stream, StreamExt};
use parking_lot::Mutex;
use tokio::time::{Instant, Sleep};

use crate::minimum_rate::{MinimumRate, TimeCredit};

/// How long a body may take before its bytes have to arrive at the minimum rate. Long enough for a connection that
/// stalls once.
const GRACE: Duration = Duration::from_secs(30);
/// How long a read waits for the next bytes of a client, and the longest wait that fast bytes pay for.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// Why we stopped reading a body before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interruption {
    Idle,
    TooSlow(MinimumRate),
}

impl Error for Interruption {}

impl fmt::Display for Interruption {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Idle => write!(formatter, "no data was received for {} seconds", IDLE_TIMEOUT.as_secs()),
            Self::TooSlow(rate) => write!(formatter, "it arrived at less than {rate}"),
        }
    }
}

/// A body that its handler and the drain share.
#[derive(Clone)]
pub(super) struct SharedBody(Arc<Mutex<TimedBody>>);

struct TimedBody {
    stream: BodyDataStream,
    credit: TimeCredit,
    wait: Option<Wait>,
    timer: Pin<Box<Sleep>>,
    progress: Progress,
}

/// A reader waits for the client.
#[derive(Debug, Clone, Copy)]
struct Wait {
    since: Instant,
    /// Why reading ends if nothing arrives until the timer expires.
    interruption: Interruption,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Progress {
    Untouched,
    Begun,
    Interrupted,
    Ended,
}

impl SharedBody {
    pub(super) fn new(body: Body, minimum_rate: MinimumRate) -> Self {
        Self(Arc::new(Mutex::new(TimedBody {
            stream: body.into_data_stream(),
            credit: TimeCredit::beginning_with(GRACE, minimum_rate, IDLE_TIMEOUT),
            wait: None,
            timer: Box::pin(tokio::time::sleep(IDLE_TIMEOUT)),
            progress: Progress::Untouched,
        })))
    }

    pub(super) fn progress(&self) -> Progress {
        self.0.lock().progress
    }
}

impl Stream for SharedBody {
    type Item = Result<Bytes, BoxError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.lock().poll_chunk(context)
    }
}

impl TimedBody {
    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, BoxError>>> {
        if matches!(self.progress, Progress::Interrupted | Progress::Ended) {
            return Poll::Ready(None);
        }
        self.progress = Progress::Begun;
        let Poll::Ready(chunk) = self.stream.poll_next_unpin(context) else {
            let interruption = ready!(self.poll_timer(context));
            self.progress = Progress::Interrupted;
            return Poll::Ready(Some(Err(interruption.into())));
        };
        self.end_wait();
        match &chunk {
            Some(Ok(bytes)) => self.credit.earn(bytes.len() as u64),
            Some(Err(_)) | None => self.progress = Progress::Ended,
        }
        Poll::Ready(chunk.map(|chunk| chunk.map_err(BoxError::from)))
    }

    fn poll_timer(&mut self, context: &mut Context<'_>) -> Poll<Interruption> {
        let interruption = match self.wait {
            Some(wait) => wait.interruption,
            None => self.begin_wait(),
        };
        self.timer.as_mut().poll(context).map(|()| interruption)
    }

    /// Counts only the time during which a reader waits for the client, so that a slow disk of ours does not count.
    fn begin_wait(&mut self) -> Interruption {
        let since = Instant::now();
        let left = self.credit.left();
        let interruption =
            if left < IDLE_TIMEOUT { Interruption::TooSlow(self.credit.rate()) } else { Interruption::Idle };
        self.timer.as_mut().reset(since + left);
        self.wait = Some(Wait { since, interruption });
        interruption
    }

    fn end_wait(&mut self) {
        if let Some(wait) = self.wait.take() {
            self.credit.spend(wait.since.elapsed());
        }
    }
}
