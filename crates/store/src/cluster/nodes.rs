//! Nodes: which processes are alive, as each of them records at short intervals.

use auris_domain::id::NodeId;
use auris_domain::node::Node;
use auris_domain::time::Millis;

use crate::error::StoreError;
use crate::sql::{Row, args, statements, to_json};
use crate::store::Store;

/// Nodes that were not seen for this long are forgotten.
const FORGOTTEN_MS: i64 = 60 * 60 * 1000;

statements! {
    RECORD_NODE = "INSERT INTO nodes (id, role, version, host, started_at, seen_ms, loaded_models, installed_models)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (id) DO UPDATE SET seen_ms = excluded.seen_ms, loaded_models = excluded.loaded_models,
                installed_models = excluded.installed_models";
    REMOVE_NODE = "DELETE FROM nodes WHERE id = $1";
    FORGET_NODES = "DELETE FROM nodes WHERE seen_ms < $1";
    NODES = "SELECT id, role, version, host, started_at, seen_ms, loaded_models, installed_models FROM nodes
            ORDER BY id";
}

impl Store {
    /// Records that a node is alive, and forgets those that have been silent for an hour.
    pub async fn record_node(&self, node: &Node) -> Result<(), StoreError> {
        let arguments = args![
            &node.id,
            &node.role,
            &node.version,
            &node.host,
            node.started_at,
            node.seen_at,
            to_json(&node.loaded_models)?,
            to_json(&node.installed_models)?,
        ];
        self.database().write(&RECORD_NODE, arguments).await?;
        self.database().write(&FORGET_NODES, args![node.seen_at.plus_ms(-FORGOTTEN_MS)]).await.map(drop)
    }

    /// Removes a node that stops.
    pub async fn remove_node(&self, id: &NodeId) -> Result<(), StoreError> {
        self.database().write(&REMOVE_NODE, args![id]).await.map(drop)
    }

    /// All nodes that were seen in the last hour, the oldest first.
    pub async fn nodes(&self) -> Result<Vec<Node>, StoreError> {
        let rows = self.database().many_rows(&NODES, args![]).await?;
        rows.iter().map(decode_node).collect()
    }
}

fn decode_node(row: &Row) -> Result<Node, StoreError> {
    Ok(Node {
        id: row.parsed("id")?,
        role: row.text("role")?,
        version: row.text("version")?,
        host: row.text("host")?,
        started_at: row.moment("started_at")?,
        seen_at: Millis(row.integer("seen_ms")?),
        loaded_models: row.json("loaded_models")?,
        installed_models: row.json("installed_models")?,
    })
}
