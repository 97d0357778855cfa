//! Nodes: which processes are alive, and the heartbeat with which this one says so.

use std::time::Duration;

use auris_domain::id::NodeId;
use auris_domain::node::{HEARTBEAT_MS, Node};
use auris_domain::time::{Millis, Timestamp};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::this_node::ThisNode;
use super::{Operator, Result};
use crate::ServiceError;

const HEARTBEAT: Duration = Duration::from_millis(HEARTBEAT_MS as u64);
/// Why the tasks of a node that is gone have failed.
const ABANDONED: &str = "the node of this task has stopped; start the task again on a node that is running. A download \
                         continues where it stopped";

/// A node as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeRecord {
    pub id: NodeId,
    pub role: String,
    pub version: String,
    pub host: String,
    pub started_at: Timestamp,
    pub seen_at: Timestamp,
    pub alive: bool,
    /// The ids of the models that are in its memory.
    pub loaded_models: Vec<String>,
    /// The ids of the models that it has installed.
    pub installed_models: Vec<String>,
}

impl NodeRecord {
    fn of(node: Node, now: Millis) -> Self {
        Self {
            alive: node.is_alive(now),
            id: node.id,
            role: node.role,
            version: node.version,
            host: node.host,
            started_at: node.started_at,
            seen_at: node.seen_at.timestamp(),
            loaded_models: node.loaded_models,
            installed_models: node.installed_models,
        }
    }
}

impl Operator {
    /// The nodes that were seen in the last hour, the oldest first.
    pub async fn list_nodes(&self) -> Result<Vec<NodeRecord>> {
        let now = self.clock.now();
        let nodes = self.store.nodes().await?;
        Ok(nodes.into_iter().map(|node| NodeRecord::of(node, now)).collect())
    }

    /// Records every few seconds that this node is alive, until `stop`; then removes it from the list. A failure is
    /// logged, and the next heartbeat tries again.
    pub async fn run_heartbeat(self, node: ThisNode, stop: CancellationToken) {
        loop {
            if let Err(error) = self.beat(&node).await {
                tracing::warn!(%error, "cannot record that this node is alive");
            }
            tokio::select! {
                () = tokio::time::sleep(HEARTBEAT) => {}
                () = stop.cancelled() => break,
            }
        }
        if let Err(error) = self.store.remove_node(&node.identity.id).await {
            tracing::warn!(%error, "cannot remove this node from the list; it disappears in an hour");
        }
    }

    /// Records that this node is alive, and fails the model tasks of nodes that are not.
    pub async fn beat(&self, node: &ThisNode) -> Result<()> {
        let now = self.clock.now();
        let identity = node.identity.clone();
        // On a blocking thread: the models may be on a network file system.
        let library = node.library();
        let installed = tokio::task::spawn_blocking(move || library.installed_ids());
        let alive = Node {
            id: identity.id,
            role: identity.role,
            version: identity.version,
            host: identity.host,
            started_at: identity.started_at,
            seen_at: now,
            loaded_models: node.loaded_ids(),
            installed_models: installed.await.map_err(ServiceError::internal)?,
        };
        self.store.record_node(&alive).await?;
        self.store.abandon_model_tasks(ABANDONED, now).await?;
        Ok(())
    }
}
