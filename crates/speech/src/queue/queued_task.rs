//! A task in the queue, with the caller that waits for it. Tasks with different results share a queue.

use auris_engine_core::{CallContext, EngineError, Reply};

use crate::net::ScoredRow;
use crate::task::{Next, SegmentTask, Window};

/// A task of any result type. See `SegmentTask` for the methods.
pub(super) trait QueuedTask: Send {
    fn context(&self) -> &CallContext;
    fn window(&mut self) -> Option<Window>;
    fn samples(&self) -> &[f32];
    fn start(&mut self) -> Vec<u32>;
    fn needs_attention(&self) -> bool;
    fn next_rows(&mut self, rows: &mut [ScoredRow<'_>]) -> Next;
    /// Sends the result to the caller.
    fn finish(self: Box<Self>);
    /// Sends an error to the caller.
    fn fail(self: Box<Self>, error: EngineError);
}

/// A task and where its result goes.
pub(super) struct PendingTask<T: SegmentTask> {
    pub(super) task: Box<T>,
    pub(super) reply: Reply<T::Output>,
    pub(super) context: CallContext,
}

impl<T: SegmentTask> QueuedTask for PendingTask<T> {
    fn context(&self) -> &CallContext {
        &self.context
    }

    fn window(&mut self) -> Option<Window> {
        self.task.window()
    }

    fn samples(&self) -> &[f32] {
        self.task.samples()
    }

    fn start(&mut self) -> Vec<u32> {
        self.task.start()
    }

    fn needs_attention(&self) -> bool {
        self.task.needs_attention()
    }

    fn next_rows(&mut self, rows: &mut [ScoredRow<'_>]) -> Next {
        self.task.next_rows(rows)
    }

    fn finish(self: Box<Self>) {
        self.reply.send(Ok(self.task.finish()));
    }

    fn fail(self: Box<Self>, error: EngineError) {
        self.reply.send(Err(error));
    }
}
