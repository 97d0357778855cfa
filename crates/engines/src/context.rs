//! Who asks for a piece of engine work, how urgently, and whether they still want it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::EngineError;

/// Whether somebody waits on an open connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// A synchronous call: its pieces go first.
    Synchronous,
    /// A step of a job: fair between projects, then between jobs.
    Background,
}

/// The circumstances of one call, cheap to clone.
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
    /// A call that somebody waits for.
    pub fn synchronous(project: &str, request: &str, cancel: CancellationToken) -> Self {
        Self { cancel, priority: Priority::Synchronous, project: project.into(), job: request.into() }
    }

    /// A call inside a step of a job.
    pub fn background(project: &str, job: &str, cancel: CancellationToken) -> Self {
        Self { cancel, priority: Priority::Background, project: project.into(), job: job.into() }
    }

    /// A call that cannot be cancelled, on behalf of nobody: the command line, tests.
    pub fn alone() -> Self {
        Self::synchronous("", "", CancellationToken::new())
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Ends the work with `Cancelled` once nobody wants it.
    pub fn check(&self) -> Result<(), EngineError> {
        if self.is_cancelled() { Err(EngineError::Cancelled) } else { Ok(()) }
    }
}
