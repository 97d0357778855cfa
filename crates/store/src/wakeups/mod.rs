//! Wake-ups: code that waits for a job, for queued steps or for deliveries is notified of changes. A missed wake-up only
//! causes a delay, because every waiter also polls.

mod local;
mod poll;
mod postgres;
mod shared_events;

use std::sync::Arc;

use auris_domain::id::JobId;

pub(crate) use self::local::Topic;
use self::local::Topics;
pub use self::local::{JobWaiter, TopicWaiter};
use self::postgres::NodeLink;
pub(crate) use self::shared_events::LastRead;
pub use self::shared_events::{EventBatch, SharedEvent};
use crate::error::StoreError;
use crate::sql::{Database, DatabaseSettings};

pub(crate) use self::poll::STATEMENTS;

/// Notifies waiters of changes: in this process and, on PostgreSQL, in the other nodes.
pub struct Wakeups {
    topics: Arc<Topics>,
    nodes: Option<NodeLink>,
}

impl Wakeups {
    pub(crate) fn in_process() -> Self {
        Self { topics: Arc::new(Topics::new()), nodes: None }
    }

    pub(crate) fn between_nodes(settings: &DatabaseSettings) -> Result<Self, StoreError> {
        let topics = Arc::new(Topics::new());
        let nodes = NodeLink::start(settings, Arc::clone(&topics))?;
        Ok(Self { topics, nodes: Some(nodes) })
    }

    /// Subscribe before reading: every change after this call wakes the waiter.
    pub fn subscribe_job(&self, id: &JobId) -> JobWaiter {
        self.topics.subscribe(&self.topics, id)
    }

    pub fn steps_waiter(&self) -> TopicWaiter {
        self.topics.steps_waiter()
    }

    pub fn deliveries_waiter(&self) -> TopicWaiter {
        self.topics.deliveries_waiter()
    }

    /// Wakes all waiters of these topics. Call it after the commit.
    pub(crate) fn wake(&self, topics: impl IntoIterator<Item = Topic>) {
        for topic in topics {
            self.topics.wake(&topic);
            if let Some(nodes) = &self.nodes {
                nodes.send(topic);
            }
        }
    }

    /// Wakes the waiters of jobs that have new events, for changes whose wake-up was missed.
    pub(crate) async fn poll(&self, database: &Database) -> Result<(), StoreError> {
        poll::poll_jobs(database, &self.topics).await
    }

    /// Sends the last wake-ups to the other nodes and stops.
    pub(crate) async fn close(&self) {
        if let Some(nodes) = &self.nodes {
            nodes.close().await;
        }
    }

    /// Resolves when this node receives the wake-ups of others; on SQLite, where there are none, at once.
    pub async fn listening(&self) {
        if let Some(nodes) = &self.nodes {
            nodes.listening().await;
        }
    }
}
