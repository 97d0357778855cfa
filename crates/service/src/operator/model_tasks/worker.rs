//! Runs the tasks of this node, one after the other, and records their progress.

use std::time::Duration;

use auris_domain::id::ModelTaskId;
use auris_domain::model_task::{ModelTask, TaskProgress, TaskStatus};
use auris_engines::low_priority;
use tokio::sync::watch;
use tokio::task::{JoinError, JoinHandle};
use tokio_util::sync::CancellationToken;

use super::super::this_node::ThisNode;
use super::super::{Operator, Result};
use super::progress::TaskSink;
use super::work::Work;

/// How often the node looks for a task.
const POLL: Duration = Duration::from_secs(1);
/// How often progress is recorded, and how soon a running task learns that it was cancelled.
const RECORD_EVERY: Duration = Duration::from_millis(500);
/// How long a task may take to end when the process stops. A download may wait for a server longer than that.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

const STOPPED: &str =
    "the server stopped before the task ended; start the task again. A download continues where it stopped";
const PANICKED: &str = "the task ended unexpectedly; see the log of the node for the reason";

/// The loop of one node.
pub struct ModelTaskWorker {
    operator: Operator,
    node: ThisNode,
}

/// A task that runs on its own thread.
struct Running {
    id: ModelTaskId,
    work: JoinHandle<Result<()>>,
    progress: watch::Receiver<TaskProgress>,
    /// Cancelled when the task was, or when the process stops.
    cancel: CancellationToken,
}

impl ModelTaskWorker {
    pub fn new(operator: Operator, node: ThisNode) -> Self {
        Self { operator, node }
    }

    /// Runs until `stop`. A task that runs then fails, and can be started again.
    pub async fn run(self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            match self.operator.store.start_model_task(&self.node.identity.id).await {
                Ok(Some(task)) => {
                    self.run_task(task, &stop).await;
                    continue;
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "cannot look for model tasks now"),
            }
            pause(&stop).await;
        }
    }

    async fn run_task(&self, task: ModelTask, stop: &CancellationToken) {
        let model = task.model.clone();
        let action = task.action.as_str();
        tracing::info!(model, action, "model task started");
        let mut running = self.start(task, stop);
        let ended = self.follow(&mut running, stop).await;
        self.record_progress(&mut running).await;
        let (status, error) = outcome(ended, &running.cancel, stop);
        match &error {
            Some(error) => tracing::warn!(model, action, error, "model task failed"),
            None => tracing::info!(model, action, status = status.as_str(), "model task ended"),
        }
        self.record_end(&running.id, (status, error), stop).await;
    }

    fn start(&self, task: ModelTask, stop: &CancellationToken) -> Running {
        let cancel = stop.child_token();
        let (mut sink, progress) = TaskSink::new(cancel.clone());
        let id = task.id.clone();
        let work = Work { library: self.node.library(), engines: self.node.engines.clone(), task };
        let work = low_priority::spawn(move || work.run(&mut sink));
        Running { id, work, progress, cancel }
    }

    /// Waits for the end of the work. `None` if the process stops and the work does not end in time.
    async fn follow(
        &self,
        running: &mut Running,
        stop: &CancellationToken,
    ) -> Option<std::result::Result<Result<()>, JoinError>> {
        let mut ticks = tokio::time::interval(RECORD_EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                ended = &mut running.work => return Some(ended),
                () = stop.cancelled() => {
                    return tokio::time::timeout(STOP_TIMEOUT, &mut running.work).await.ok();
                }
                _ = ticks.tick() => {
                    self.record_progress(running).await;
                    self.look_for_cancel(running).await;
                }
            }
        }
    }

    /// Records the progress if it has changed. Losing one record does no harm.
    async fn record_progress(&self, running: &mut Running) {
        if !running.progress.has_changed().unwrap_or(true) {
            return;
        }
        let progress = running.progress.borrow_and_update().clone();
        if let Err(error) = self.operator.store.record_task_progress(&running.id, &progress).await {
            tracing::debug!(%error, "cannot record the progress of a model task");
        }
    }

    async fn look_for_cancel(&self, running: &Running) {
        match self.operator.store.is_task_cancelled(&running.id).await {
            Ok(true) => running.cancel.cancel(),
            Ok(false) => {}
            Err(error) => tracing::debug!(%error, "cannot check whether a model task was cancelled"),
        }
    }

    /// Repeated until it is stored, because a task that never ends would block others for the same model.
    async fn record_end(
        &self,
        id: &ModelTaskId,
        (status, error): (TaskStatus, Option<String>),
        stop: &CancellationToken,
    ) {
        loop {
            let now = self.operator.clock.now();
            match self.operator.store.end_model_task(id, status, error.clone(), now).await {
                Ok(()) => return,
                Err(failure) => tracing::warn!(error = %failure, "cannot record the end of a model task"),
            }
            if stop.is_cancelled() {
                // The next node that starts fails the tasks of this one.
                return;
            }
            pause(stop).await;
        }
    }
}

async fn pause(stop: &CancellationToken) {
    tokio::select! {
        () = tokio::time::sleep(POLL) => {}
        () = stop.cancelled() => {}
    }
}

/// Work that was done counts as done, although it was to be cancelled.
fn outcome(
    ended: Option<std::result::Result<Result<()>, JoinError>>,
    cancel: &CancellationToken,
    stop: &CancellationToken,
) -> (TaskStatus, Option<String>) {
    let failed = |message: &str| (TaskStatus::Failed, Some(message.replace('\0', "")));
    match ended {
        Some(Ok(Ok(()))) => (TaskStatus::Completed, None),
        Some(Ok(Err(_))) | None if stop.is_cancelled() => failed(STOPPED),
        Some(Ok(Err(_))) if cancel.is_cancelled() => (TaskStatus::Cancelled, None),
        Some(Ok(Err(error))) => failed(&error.to_string()),
        Some(Err(error)) => {
            tracing::error!(%error, "a model task panicked");
            failed(PANICKED)
        }
        None => failed(STOPPED),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::OperatorError;
    use super::*;

    #[test]
    fn a_failure_after_a_cancel_or_a_stop_is_that_cancel_or_stop() {
        let stop = CancellationToken::new();
        let cancel = stop.child_token();
        let ended = |result: Result<()>| outcome(Some(Ok(result)), &cancel, &stop);
        let failure = || Err(OperatorError::conflict("no source\0"));
        assert_eq!(ended(Ok(())), (TaskStatus::Completed, None));
        assert_eq!(ended(failure()), (TaskStatus::Failed, Some("no source".to_owned())));
        cancel.cancel();
        assert_eq!(ended(failure()), (TaskStatus::Cancelled, None));
        assert_eq!(ended(Ok(())), (TaskStatus::Completed, None));
        stop.cancel();
        assert_eq!(ended(failure()), (TaskStatus::Failed, Some(STOPPED.to_owned())));
        assert_eq!(outcome(None, &cancel, &stop), (TaskStatus::Failed, Some(STOPPED.to_owned())));
    }
}
