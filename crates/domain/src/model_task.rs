//! Work on the models of a node that an operator asked for in the console.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use crate::id::{ModelTaskId, NodeId};
use crate::time::Timestamp;

/// One task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelTask {
    pub id: ModelTaskId,
    /// The node whose models it changes.
    pub node: NodeId,
    pub model: String,
    pub action: ModelAction,
    pub status: TaskStatus,
    pub progress: TaskProgress,
    /// Why it failed, or what verification found.
    pub error: Option<String>,
    pub created_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

/// What a task does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ModelAction {
    Pull,
    Verify,
    Remove,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TaskStatus {
    Queued,
    Running,
    Completed,
    Failed,
    Cancelled,
}

/// How much of a download is done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TaskProgress {
    pub file: Option<String>,
    pub done_bytes: u64,
    pub total_bytes: u64,
}

impl ModelAction {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl TaskStatus {
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    pub fn is_final(self) -> bool {
        match self {
            Self::Queued | Self::Running => false,
            Self::Completed | Self::Failed | Self::Cancelled => true,
        }
    }
}
