//! Tasks for the models of a node. A task is claimed only by its node.

use auris_domain::id::{ModelTaskId, NodeId};
use auris_domain::model_task::{ModelTask, TaskProgress, TaskStatus};
use auris_domain::node::ALIVE_MS;
use auris_domain::time::Millis;

use crate::error::StoreError;
use crate::sql::{Row, args, statements};
use crate::store::Store;

/// Tasks that are kept; older ones are removed when a new one is stored.
const KEPT: u32 = 100;

macro_rules! task_columns {
    () => {
        "id, node_id, model, action, status, cancelled, done_bytes, total_bytes, file, error, created_at, ended_at"
    };
}

statements! {
    /// Nothing if a task for the same model of the same node is open.
    INSERT_TASK = concat!("INSERT INTO model_tasks (", task_columns!(), ")
        SELECT $1, $2, $3, $4, $5, 0, 0, 0, NULL, NULL, CAST($6 AS BIGINT), NULL
        WHERE NOT EXISTS (SELECT 1 FROM model_tasks
            WHERE node_id = $2 AND model = $3 AND status IN ('queued', 'running'))");
    REMOVE_OLD_TASKS = "DELETE FROM model_tasks WHERE status NOT IN ('queued', 'running')
        AND id NOT IN (SELECT id FROM model_tasks ORDER BY id DESC LIMIT $1)";
    TASK = concat!("SELECT ", task_columns!(), " FROM model_tasks WHERE id = $1");
    TASKS = concat!("SELECT ", task_columns!(), " FROM model_tasks ORDER BY id DESC LIMIT $1");
    NEXT_TASK = concat!("SELECT ", task_columns!(), " FROM model_tasks
        WHERE node_id = $1 AND status = 'queued' ORDER BY id LIMIT 1");
    START_TASK = "UPDATE model_tasks SET status = 'running' WHERE id = $1 AND status = 'queued' AND cancelled = 0";
    PROGRESS = "UPDATE model_tasks SET done_bytes = $2, total_bytes = $3, file = $4 WHERE id = $1 AND status = 'running'";
    END_TASK = "UPDATE model_tasks SET status = $2, error = $3, ended_at = $4
        WHERE id = $1 AND status IN ('queued', 'running')";
    CANCEL_TASK = "UPDATE model_tasks SET cancelled = 1 WHERE id = $1 AND status IN ('queued', 'running')";
    CANCEL_QUEUED = "UPDATE model_tasks SET status = 'cancelled', ended_at = $2 WHERE id = $1 AND status = 'queued'";
    /// Tasks of a node that is gone, or was not seen since `$3`.
    ABANDON_TASKS = "UPDATE model_tasks SET status = 'failed', error = $2, ended_at = $1
        WHERE status IN ('queued', 'running') AND node_id NOT IN (SELECT id FROM nodes WHERE seen_ms > $3)";
}

impl Store {
    /// Stores a task, and removes the oldest ones. False if a task for the same model of the same node is open.
    pub async fn create_model_task(&self, task: &ModelTask) -> Result<bool, StoreError> {
        let action = task.action.as_str();
        let status = task.status.as_str();
        let arguments = args![&task.id, &task.node, &task.model, action, status, task.created_at];
        let created = self.database().write(&INSERT_TASK, arguments).await? == 1;
        self.database().write(&REMOVE_OLD_TASKS, args![KEPT]).await?;
        Ok(created)
    }

    pub async fn model_task(&self, id: &ModelTaskId) -> Result<Option<ModelTask>, StoreError> {
        let row = self.database().row(&TASK, args![id]).await?;
        row.as_ref().map(decode_task).transpose()
    }

    /// The newest tasks first.
    pub async fn model_tasks(&self) -> Result<Vec<ModelTask>, StoreError> {
        let rows = self.database().many_rows(&TASKS, args![KEPT]).await?;
        rows.iter().map(decode_task).collect()
    }

    /// Starts the node's oldest queued task.
    pub async fn start_model_task(&self, node: &NodeId) -> Result<Option<ModelTask>, StoreError> {
        let Some(row) = self.database().row(&NEXT_TASK, args![node]).await? else { return Ok(None) };
        let task = decode_task(&row)?;
        let started = self.database().write(&START_TASK, args![&task.id]).await? == 1;
        Ok(started.then_some(ModelTask { status: TaskStatus::Running, ..task }))
    }

    /// Records how far a task is.
    pub async fn record_task_progress(
        &self,
        id: &ModelTaskId,
        progress: &TaskProgress,
    ) -> Result<(), StoreError> {
        let arguments = args![id, progress.done_bytes, progress.total_bytes, progress.file.clone()];
        self.database().write(&PROGRESS, arguments).await.map(drop)
    }

    /// Records the end of a task. A task ends once.
    pub async fn end_model_task(
        &self,
        id: &ModelTaskId,
        status: TaskStatus,
        error: Option<String>,
        now: Millis,
    ) -> Result<(), StoreError> {
        let arguments = args![id, status.as_str(), error, now.timestamp()];
        self.database().write(&END_TASK, arguments).await.map(drop)
    }

    /// Asks for a task to be cancelled. One that has not started is cancelled at once.
    pub async fn cancel_model_task(&self, id: &ModelTaskId, now: Millis) -> Result<(), StoreError> {
        self.database().write(&CANCEL_TASK, args![id]).await?;
        self.database().write(&CANCEL_QUEUED, args![id, now.timestamp()]).await.map(drop)
    }

    /// Whether a running task must stop: it was cancelled, or another node has taken this one for gone.
    pub async fn is_task_cancelled(&self, id: &ModelTaskId) -> Result<bool, StoreError> {
        let Some(row) = self.database().row(&TASK, args![id]).await? else { return Ok(true) };
        Ok(row.integer("cancelled")? != 0 || decode_task(&row)?.status.is_final())
    }

    /// Fails the tasks of nodes that are not alive.
    pub async fn abandon_model_tasks(&self, error: &str, now: Millis) -> Result<u64, StoreError> {
        let arguments = args![now.timestamp(), error, now.plus_ms(-ALIVE_MS)];
        self.database().write(&ABANDON_TASKS, arguments).await
    }
}

fn decode_task(row: &Row) -> Result<ModelTask, StoreError> {
    Ok(ModelTask {
        id: row.parsed("id")?,
        node: row.parsed("node_id")?,
        model: row.text("model")?,
        action: row.parsed("action")?,
        status: row.parsed("status")?,
        progress: TaskProgress {
            file: row.optional_text("file")?,
            done_bytes: row.count("done_bytes")?,
            total_bytes: row.count("total_bytes")?,
        },
        error: row.optional_text("error")?,
        created_at: row.moment("created_at")?,
        ended_at: row.optional_moment("ended_at")?,
    })
}
