//! The state of the installation at a glance: jobs, nodes, storage, and the last errors of this process.

mod queue;
mod source;

use auris_domain::id::NodeId;
use auris_domain::time::Timestamp;
use serde::Serialize;

use super::nodes::NodeRecord;
use super::recent_errors::LoggedError;
use super::{Operator, Result};

pub use queue::{OpenJobs, QueueRecord, RunningStepRecord};
pub use source::{BlobKind, ConsoleModelRecord, DiskSpace, LoadedModelRecord, OverviewSource};

/// What an operator sees first.
#[derive(Debug, Clone, Serialize)]
pub struct Overview {
    pub object: &'static str,
    pub version: String,
    pub role: String,
    /// The node that answers.
    pub node: NodeId,
    pub started_at: Timestamp,
    pub uptime_seconds: i64,
    pub jobs: OpenJobs,
    pub queue: Vec<QueueRecord>,
    pub running: Vec<RunningStepRecord>,
    pub loaded_models: Vec<LoadedModelRecord>,
    pub disk: DiskSpace,
    pub database: DatabaseState,
    pub blobs: BlobState,
    pub nodes: Vec<NodeRecord>,
    pub last_errors: Vec<LoggedError>,
}

/// Which database there is, and whether it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DatabaseState {
    pub kind: DatabaseKind,
    pub bytes: Option<u64>,
    pub ok: bool,
}

/// The databases that Auris supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DatabaseKind {
    Sqlite,
    Postgres,
}

/// Where blobs are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BlobState {
    pub kind: BlobKind,
}

impl Operator {
    /// Collects everything now. Fails only if the database does.
    pub async fn overview(&self, source: &OverviewSource) -> Result<Overview> {
        let identity = source.node.identity.clone();
        let names = self.project_names().await?;
        Ok(Overview {
            object: "overview",
            uptime_seconds: identity.uptime_seconds(&self.clock),
            version: identity.version,
            role: identity.role,
            node: identity.id,
            started_at: identity.started_at,
            jobs: self.open_jobs().await?,
            queue: self.queue(&names).await?,
            running: self.running_steps(&names).await?,
            loaded_models: source.loaded_models(),
            disk: source.disk_space().await?,
            database: self.database_state().await,
            blobs: BlobState { kind: source.blobs },
            nodes: self.list_nodes().await?,
            last_errors: source.errors.list(),
        })
    }

    async fn database_state(&self) -> DatabaseState {
        DatabaseState {
            kind: if self.store.is_postgres() { DatabaseKind::Postgres } else { DatabaseKind::Sqlite },
            // A role of PostgreSQL may be forbidden to ask for it.
            bytes: self.store.database_bytes().await.ok(),
            ok: self.store.ping().await.is_ok(),
        }
    }
}
