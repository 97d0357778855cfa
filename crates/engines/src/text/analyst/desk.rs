//! Where a stage does its work: window by window on the engine threads, in order, as long as somebody wants it.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::scheduler::{Place, Ticket};
use crate::{CallContext, EngineError, TextSink};

/// The circumstances of one stage's run.
pub(super) struct Desk<'a> {
    pub(super) place: Place,
    pub(super) context: &'a CallContext,
    pub(super) sink: &'a mut dyn TextSink,
    /// Windows that may wait or run at once.
    pub(super) ahead: usize,
}

impl Desk<'_> {
    /// Works on every window and gives the answers in the windows' order.
    pub(super) fn each<T, R>(
        &mut self,
        windows: Vec<T>,
        work: impl Fn(T) -> Result<R, EngineError> + Send + Sync + 'static,
    ) -> Result<Vec<R>, EngineError>
    where
        T: Send + 'static,
        R: Send + 'static,
    {
        let (work, total) = (Arc::new(work), windows.len());
        let mut waiting = windows.into_iter();
        let mut running: VecDeque<Ticket<R>> = VecDeque::new();
        let mut done = Vec::with_capacity(total);
        loop {
            self.context.check()?;
            while running.len() < self.ahead {
                let Some(window) = waiting.next() else { break };
                let work = work.clone();
                running.push_back(self.place.submit(move |_| work(window)));
            }
            let Some(ticket) = running.pop_front() else { return Ok(done) };
            done.push(ticket.wait()?);
            self.sink.progress(done.len() as f64 / total as f64);
        }
    }
}
