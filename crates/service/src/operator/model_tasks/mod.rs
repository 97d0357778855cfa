//! Tasks for the models of a node: pull, verify and remove. Each node runs its own, one after the other.

mod progress;
mod watch;
mod work;
mod worker;

use auris_domain::id::{ModelTaskId, NodeId};
use auris_domain::model_task::{ModelAction, ModelTask, TaskProgress, TaskStatus};
use auris_domain::time::Timestamp;
use serde::Serialize;

use super::models::ModelLibrary;
use super::{Operator, OperatorError, Result};

pub use worker::ModelTaskWorker;

/// A task as the console shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelTaskRecord {
    pub object: &'static str,
    pub id: ModelTaskId,
    pub model: String,
    pub action: ModelAction,
    pub node: NodeId,
    pub status: TaskStatus,
    pub progress: TaskProgress,
    pub error: Option<String>,
    pub created_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

impl From<ModelTask> for ModelTaskRecord {
    fn from(task: ModelTask) -> Self {
        Self {
            object: "model_task",
            id: task.id,
            model: task.model,
            action: task.action,
            node: task.node,
            status: task.status,
            progress: task.progress,
            error: task.error,
            created_at: task.created_at,
            ended_at: task.ended_at,
        }
    }
}

impl Operator {
    /// Queues a task for a node. Fails if the library has no such model, if the node is not alive, or if a task for the
    /// same model of the same node has not ended.
    pub async fn create_model_task(
        &self,
        library: &ModelLibrary,
        model: &str,
        action: ModelAction,
        node: NodeId,
    ) -> Result<ModelTaskRecord> {
        library.require(model)?;
        self.require_alive(&node).await?;
        let now = self.clock.now();
        let task = ModelTask {
            id: ModelTaskId::generate(now),
            node,
            model: model.to_owned(),
            action,
            status: TaskStatus::Queued,
            progress: TaskProgress::default(),
            error: None,
            created_at: now.timestamp(),
            ended_at: None,
        };
        if !self.store.create_model_task(&task).await? {
            return Err(OperatorError::conflict(format!(
                "a task for the model `{}` has not ended on the node `{}`; wait for its end, or cancel it",
                task.model, task.node
            )));
        }
        Ok(task.into())
    }

    /// The newest tasks first.
    pub async fn list_model_tasks(&self) -> Result<Vec<ModelTaskRecord>> {
        let tasks = self.store.model_tasks().await?;
        Ok(tasks.into_iter().map(ModelTaskRecord::from).collect())
    }

    pub async fn read_model_task(&self, id: &ModelTaskId) -> Result<ModelTaskRecord> {
        self.model_task(id).await.map(ModelTaskRecord::from)
    }

    /// Cancels a task. One that runs ends soon after; one that has ended stays as it is.
    pub async fn cancel_model_task(&self, id: &ModelTaskId) -> Result<ModelTaskRecord> {
        self.model_task(id).await?;
        self.store.cancel_model_task(id, self.clock.now()).await?;
        self.read_model_task(id).await
    }

    async fn model_task(&self, id: &ModelTaskId) -> Result<ModelTask> {
        let task = self.store.model_task(id).await?;
        task.ok_or_else(|| OperatorError::not_found(format!("there is no model task `{id}`")))
    }

    async fn require_alive(&self, id: &NodeId) -> Result<()> {
        let now = self.clock.now();
        let nodes = self.store.nodes().await?;
        if nodes.iter().any(|node| node.id == *id && node.is_alive(now)) {
            return Ok(());
        }
        let message =
            format!("the node `{id}` is not running; choose one that is alive, or leave `node` out");
        Err(OperatorError::invalid_parameter("node", message))
    }
}
