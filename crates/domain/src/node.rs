//! The processes that share one database.

use crate::id::NodeId;
use crate::time::{Millis, Timestamp};

/// How often a process records that it is alive.
pub const HEARTBEAT_MS: i64 = 5_000;
/// A process that was not seen for this long has ended, or cannot reach the database.
pub const ALIVE_MS: i64 = 4 * HEARTBEAT_MS;

/// One process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub id: NodeId,
    /// What it was started as: `all`, `api` or `worker`.
    pub role: String,
    pub version: String,
    pub host: String,
    pub started_at: Timestamp,
    pub seen_at: Millis,
    /// The models that are in its memory.
    pub loaded_models: Vec<String>,
    /// The models whose files it has.
    pub installed_models: Vec<String>,
}

impl Node {
    pub fn is_alive(&self, now: Millis) -> bool {
        now.since(self.seen_at) < ALIVE_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_alive_until_it_was_silent_for_four_heartbeats() {
        let node = Node {
            id: NodeId::generate(Millis(0)),
            role: "all".into(),
            version: "0.1.0".into(),
            host: "one".into(),
            started_at: Timestamp(0),
            seen_at: Millis(1_000),
            loaded_models: Vec::new(),
            installed_models: Vec::new(),
        };
        assert!(node.is_alive(Millis(1_000 + ALIVE_MS - 1)));
        assert!(!node.is_alive(Millis(1_000 + ALIVE_MS)));
    }
}
