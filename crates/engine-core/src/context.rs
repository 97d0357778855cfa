//! Who requests engine work, with which priority, and whether the result is still needed.

use std::sync::Arc;

use tokio_util::sync::{CancellationToken, DropGuard};

use crate::EngineError;

/// The scheduling class of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// A client waits on an open connection: this work runs first.
    Synchronous,
    /// A step of a job: scheduled fairly between projects, then between jobs.
    Background,
}

/// The context of one engine call, cheap to clone.
#[derive(Debug, Clone)]
pub struct CallContext {
    pub cancel: CancellationToken,
    pub priority: Priority,
    /// The project that pays; the scheduler is fair between projects.
    pub project: Arc<str>,
    /// The job or request; the scheduler is fair between the jobs of a project.
    pub job: Arc<str>,
}

impl CallContext {
    /// A call that a client waits for.
    pub fn synchronous(project: &str, request: &str, cancel: CancellationToken) -> Self {
        Self { cancel, priority: Priority::Synchronous, project: project.into(), job: request.into() }
    }

    /// A call inside a step of a job.
    pub fn background(project: &str, job: &str, cancel: CancellationToken) -> Self {
        Self { cancel, priority: Priority::Background, project: project.into(), job: job.into() }
    }

    /// A call without a project that cannot be cancelled: for the command line and tests.
    pub fn alone() -> Self {
        Self::synchronous("", "", CancellationToken::new())
    }

    /// The same call, for work that nobody needs after it: dropping the guard cancels what is left of that work, for
    /// example after an error.
    pub fn scoped(&self) -> (Self, DropGuard) {
        let cancel = self.cancel.child_token();
        let guard = cancel.clone().drop_guard();
        (Self { cancel, ..self.clone() }, guard)
    }

    /// Work for several calls at once, named after what they share. It cannot be cancelled as a whole.
    pub fn shared(priority: Priority, name: &str) -> Self {
        Self { cancel: CancellationToken::new(), priority, project: name.into(), job: name.into() }
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Returns `Cancelled` once the call is cancelled.
    pub fn check(&self) -> Result<(), EngineError> {
        if self.is_cancelled() { Err(EngineError::Cancelled) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scoped_work_ends_with_its_guard_or_with_the_call() {
        let call = CallContext::alone();
        let (work, guard) = call.scoped();
        assert!(!work.is_cancelled());
        drop(guard);
        assert!(work.is_cancelled() && !call.is_cancelled());
        let (work, _guard) = call.scoped();
        call.cancel.cancel();
        assert!(work.is_cancelled());
    }
}
