//! Runs a stage window by window on the engine threads.

use std::collections::VecDeque;
use std::sync::Arc;

use auris_engine_core::{CallContext, EngineError, TextSink};
use auris_engine_core::{Place, Ticket};

/// The place, context and sink of one stage.
pub(super) struct WindowedWork<'a> {
    pub(super) place: Place,
    pub(super) context: &'a CallContext,
    pub(super) sink: &'a mut dyn TextSink,
    /// Maximum number of windows submitted at the same time.
    pub(super) ahead: usize,
}

impl WindowedWork<'_> {
    /// Runs `work` on every window and returns the results in the order of the windows.
    pub(super) fn each<T, R>(
        &mut self,
        windows: Vec<T>,
        work: impl Fn(T) -> Result<R, EngineError> + Send + Sync + 'static,
    ) -> Result<Vec<R>, EngineError>
    where
        T: Send + 'static,
        R: Send + 'static,
    {
        let work = Arc::new(work);
        let total = windows.len();
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
