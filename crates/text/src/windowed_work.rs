//! Runs a stage window by window on the engine threads.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use auris_engine_core::{Admission, Ticket};
use auris_engine_core::{CallContext, EngineError, TextSink};

/// What one stage works with: its admission to the engine threads, its context and its sink.
pub(super) struct WindowedWork<'a> {
    pub(super) admission: Admission,
    pub(super) context: &'a CallContext,
    pub(super) sink: &'a mut dyn TextSink,
    /// Maximum number of windows submitted at the same time.
    pub(super) ahead: usize,
}

impl WindowedWork<'_> {
    /// Runs `work` on every window and returns the results in the order of the windows. They exist all at once, so each
    /// must be small.
    pub(super) fn each<T, R>(
        &mut self,
        windows: Vec<T>,
        work: impl Fn(T) -> Result<R, EngineError> + Send + Sync + 'static,
    ) -> Result<Vec<R>, EngineError>
    where
        T: Send + 'static,
        R: Send + 'static,
    {
        let mut results = Vec::with_capacity(windows.len());
        self.for_each(windows, work, |result| {
            results.push(result);
            ControlFlow::Continue(())
        })?;
        Ok(results)
    }

    /// Runs `work` on every window and passes the results on in the order of the windows, until `take` breaks. Only
    /// the results of a few windows exist at the same time.
    pub(super) fn for_each<T, R>(
        &mut self,
        windows: Vec<T>,
        work: impl Fn(T) -> Result<R, EngineError> + Send + Sync + 'static,
        mut take: impl FnMut(R) -> ControlFlow<()>,
    ) -> Result<(), EngineError>
    where
        T: Send + 'static,
        R: Send + 'static,
    {
        let work = Arc::new(work);
        let total = windows.len();
        let mut waiting = windows.into_iter();
        let mut running: VecDeque<Ticket<R>> = VecDeque::new();
        let mut done: usize = 0;
        loop {
            self.context.check()?;
            while running.len() < self.ahead {
                let Some(window) = waiting.next() else { break };
                let work = work.clone();
                running.push_back(self.admission.submit(move |_| work(window)));
            }
            let Some(ticket) = running.pop_front() else { return Ok(()) };
            if take(ticket.wait()?).is_break() {
                return Ok(());
            }
            done += 1;
            self.sink.progress(done as f64 / total as f64);
        }
    }
}
