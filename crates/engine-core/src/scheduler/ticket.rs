//! The pending result of submitted work.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::time::Duration;

use crate::{CallContext, EngineError};

/// How often a waiting caller checks whether it was cancelled.
const CHECK_EVERY: Duration = Duration::from_millis(20);

/// Where work sends its result. If it is dropped, the caller gets an error.
pub struct Reply<T> {
    sender: SyncSender<Result<T, EngineError>>,
}

impl<T> Reply<T> {
    /// Sends the result. If the caller is gone, nobody needs it.
    pub fn send(self, result: Result<T, EngineError>) {
        let _ = self.sender.send(result);
    }
}

/// The pending result of submitted work.
pub struct Ticket<T> {
    receiver: Receiver<Result<T, EngineError>>,
    context: CallContext,
}

impl<T> Ticket<T> {
    /// A ticket of the call `context`, and where its result is sent.
    pub(super) fn new(context: CallContext) -> (Reply<T>, Self) {
        let (sender, receiver) = sync_channel(1);
        (Reply { sender }, Self { receiver, context })
    }

    /// The result if it is there, or `Cancelled` if nobody needs it; otherwise the ticket, to wait for it later.
    pub fn try_wait(self) -> Result<Result<T, EngineError>, Self> {
        if let Err(cancelled) = self.context.check() {
            return Ok(Err(cancelled));
        }
        match self.receiver.try_recv() {
            Ok(result) => Ok(result),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => Err(self),
        }
    }

    /// Waits for the result, or until the call is cancelled.
    pub fn wait(self) -> Result<T, EngineError> {
        loop {
            self.context.check()?;
            match self.receiver.recv_timeout(CHECK_EVERY) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.context.check()?;
                    return Err(EngineError::internal("the engine threads have stopped"));
                }
            }
        }
    }
}
