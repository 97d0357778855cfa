//! A task as it changes, for an event stream.

use std::time::Duration;

use auris_domain::id::ModelTaskId;
use auris_domain::model_task::ModelTask;
use futures::stream::{self, BoxStream, StreamExt};

use super::super::Operator;
use super::ModelTaskRecord;

/// How often the task is read.
const POLL: Duration = Duration::from_millis(500);

/// A task that is watched, as it was last seen.
struct Watch {
    operator: Operator,
    id: ModelTaskId,
    seen: Option<ModelTask>,
}

impl Operator {
    /// The task now, then after each change. Ends when the task has ended, does not exist, or cannot be read.
    pub fn watch_model_task(&self, id: ModelTaskId) -> BoxStream<'static, ModelTaskRecord> {
        stream::unfold(Watch { operator: self.clone(), id, seen: None }, Watch::next).boxed()
    }
}

impl Watch {
    async fn next(mut self) -> Option<(ModelTaskRecord, Self)> {
        loop {
            match &self.seen {
                Some(task) if task.status.is_final() => return None,
                Some(_) => tokio::time::sleep(POLL).await,
                None => {}
            }
            let task = self.read().await?;
            if self.seen.as_ref() != Some(&task) {
                self.seen = Some(task.clone());
                return Some((task.into(), self));
            }
        }
    }

    async fn read(&self) -> Option<ModelTask> {
        let read = self.operator.store.model_task(&self.id).await;
        read.unwrap_or_else(|error| {
            tracing::warn!(%error, "cannot follow a model task any longer");
            None
        })
    }
}
