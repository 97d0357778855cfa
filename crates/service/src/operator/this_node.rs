//! This process as one of the nodes on the database.

use std::sync::Arc;

use auris_domain::id::NodeId;
use auris_domain::time::{Clock, Timestamp, Uptime};
use auris_engines::{Engines, Installer};

use super::models::ModelLibrary;

/// Who this process is. New at each start.
#[derive(Debug, Clone)]
pub struct NodeIdentity {
    pub id: NodeId,
    /// What it was started as: `all`, `api` or `worker`.
    pub role: String,
    pub version: String,
    pub host: String,
    pub started_at: Timestamp,
    started: Uptime,
}

impl NodeIdentity {
    /// The identity of a process that starts now.
    pub fn new(role: &str, clock: &Clock) -> Self {
        let now = clock.now();
        Self {
            id: NodeId::generate(now),
            role: role.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            started_at: now.timestamp(),
            started: clock.uptime(),
        }
    }

    /// How long the process has been running.
    pub fn uptime_seconds(&self, clock: &Clock) -> i64 {
        clock.uptime().since(self.started) / 1000
    }
}

/// This process: who it is, and the models that it has. Cheap to clone.
#[derive(Clone)]
pub struct ThisNode {
    pub identity: NodeIdentity,
    pub engines: Arc<Engines>,
    pub installer: Installer,
}

impl ThisNode {
    /// The models of this node, with the local models that exist now.
    pub fn library(&self) -> ModelLibrary {
        ModelLibrary::new((*self.engines.catalog()).clone(), self.installer.clone())
    }

    /// The ids of the models that are in memory.
    pub(super) fn loaded_ids(&self) -> Vec<String> {
        self.engines.loaded_models().into_iter().map(|model| model.id).collect()
    }
}
