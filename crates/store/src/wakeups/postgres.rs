//! Wake-ups between nodes on PostgreSQL: one connection listens, one task sends.

use std::collections::HashSet;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use auris_domain::id::JobId;
use backon::{BackoffBuilder, ExponentialBuilder};
use parking_lot::Mutex;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use sqlx::{AssertSqlSafe, ConnectOptions, PgPool};
use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinHandle};

use super::local::{Topic, Topics};
use crate::error::StoreError;
use crate::sql::DatabaseSettings;

const CHANNEL: &str = "auris";
/// Maximum number of topics in one notification. PostgreSQL allows just under 8,000 bytes; a topic has at most 24.
const TOPICS_PER_NOTIFICATION: usize = 256;
/// Minimum time between two notifications, so that a busy node sends few. The first after a pause is sent at once.
const SEND_INTERVAL: Duration = Duration::from_millis(5);
/// Maximum time that closing waits for the last notification. Without it the other nodes find the change by polling.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
const RECONNECT_DELAY: Duration = Duration::from_secs(1);
/// Maximum delay between two attempts to listen. A server without LISTEN is still asked now and then, because the
/// failure may have been temporary.
const MAX_RECONNECT_DELAY: Duration = Duration::from_secs(64);

/// This node's connection to the other nodes.
pub(crate) struct NodeLink {
    /// `None` once the link is closed.
    outbox: Mutex<Option<mpsc::UnboundedSender<Topic>>>,
    sender: Mutex<Option<JoinHandle<()>>>,
    tasks: Vec<AbortHandle>,
    listening: watch::Receiver<bool>,
}

impl NodeLink {
    /// A separate task sends notifications after the commit, many topics at once. Sent inside the transactions, they
    /// would make PostgreSQL commit one transaction at a time, because it orders notifications under one lock.
    pub(crate) fn start(settings: &DatabaseSettings, topics: Arc<Topics>) -> Result<Self, StoreError> {
        let node = format!("{:016x}", rand::random::<u64>());
        let (outbox, inbox) = mpsc::unbounded_channel();
        let (is_listening, listening) = watch::channel(false);
        let sender = tokio::spawn(send_topics(sending_pool(settings)?, inbox, node.clone()));
        let mut tasks = vec![sender.abort_handle()];
        // A pooler in transaction mode cannot listen; without a direct address this node polls.
        let direct = settings.listen_url.as_deref().or((!settings.pooler).then_some(&settings.url));
        if let Some(url) = direct {
            let pool = PgPoolOptions::new().max_connections(1).connect_lazy_with(options(url)?);
            let listener = Listener { pool, topics, node, is_listening };
            tasks.push(tokio::spawn(listener.run()).abort_handle());
        }
        Ok(Self { outbox: Mutex::new(Some(outbox)), sender: Mutex::new(Some(sender)), tasks, listening })
    }

    pub(crate) fn send(&self, topic: Topic) {
        if let Some(outbox) = &*self.outbox.lock() {
            // Fails only if the sending task has ended, and then other nodes poll.
            let _ = outbox.send(topic);
        }
    }

    /// Waits until everything is sent, such as the steps that a stopping node hands back, and ends the tasks.
    pub(crate) async fn close(&self) {
        drop(self.outbox.lock().take());
        let sender = self.sender.lock().take();
        if let Some(sender) = sender {
            let _ = tokio::time::timeout(CLOSE_TIMEOUT, sender).await;
        }
        self.abort();
    }

    pub(crate) async fn listening(&self) {
        let _ = self.listening.clone().wait_for(|is_listening| *is_listening).await;
    }

    fn abort(&self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Drop for NodeLink {
    fn drop(&mut self) {
        self.abort();
    }
}

fn options(url: &str) -> Result<PgConnectOptions, StoreError> {
    Ok(PgConnectOptions::from_str(url)?.disable_statement_logging())
}

fn sending_pool(settings: &DatabaseSettings) -> Result<PgPool, StoreError> {
    let url = settings.listen_url.as_deref().unwrap_or(&settings.url);
    let mut options = options(url)?.statement_cache_capacity(0);
    if !settings.pooler {
        // A notification that is lost in a crash only causes a delay, so it need not wait for the disk. Poolers refuse
        // such options.
        options = options.options([("synchronous_commit", "off")]);
    }
    Ok(PgPoolOptions::new().max_connections(1).connect_lazy_with(options))
}

/// Sends all topics that arrived since the last notification, until the outbox is closed and empty.
async fn send_topics(pool: PgPool, mut inbox: mpsc::UnboundedReceiver<Topic>, node: String) {
    let mut topics = Vec::new();
    while inbox.recv_many(&mut topics, TOPICS_PER_NOTIFICATION).await > 0 {
        let unique: HashSet<String> = topics.drain(..).map(|topic| topic_word(&topic)).collect();
        let words: Vec<String> = unique.into_iter().collect();
        let payload = format!("{node} {}", words.join(" "));
        if let Err(error) = notify(&pool, &payload).await {
            tracing::debug!(%error, "a notification to the other nodes was not sent; they will poll");
        }
        tokio::time::sleep(SEND_INTERVAL).await;
    }
}

/// Sends one message, which is its own transaction, also behind a pooler. The payload contains only ids and words of
/// this file, so it needs no quoting.
async fn notify(pool: &PgPool, payload: &str) -> Result<(), sqlx::Error> {
    let statement = format!("NOTIFY {CHANNEL}, '{payload}'");
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(pool).await.map(drop)
}

/// Receives the notifications of other nodes.
struct Listener {
    pool: PgPool,
    topics: Arc<Topics>,
    /// The name of this node, whose own notifications are ignored.
    node: String,
    is_listening: watch::Sender<bool>,
}

impl Listener {
    async fn run(self) {
        let mut delays = reconnect_delays();
        // Logged once per lost connection, and once if there never was one.
        let mut is_logged = false;
        loop {
            let ended = self.listen().await;
            if self.is_listening.send_replace(false) {
                delays = reconnect_delays();
                is_logged = false;
            }
            if let Err(error) = &ended
                && !is_logged
            {
                tracing::warn!(%error, "no connection for notifications; polling until there is one");
                is_logged = true;
            }
            tokio::time::sleep(delays.next().unwrap_or(MAX_RECONNECT_DELAY)).await;
        }
    }

    async fn listen(&self) -> Result<(), sqlx::Error> {
        let mut listener = PgListener::connect_with(&self.pool).await?;
        listener.listen(CHANNEL).await?;
        self.is_listening.send_replace(true);
        self.topics.wake_all();
        while let Some(notification) = listener.try_recv().await? {
            let mut words = notification.payload().split(' ');
            if words.next() == Some(self.node.as_str()) {
                continue;
            }
            for topic in words.filter_map(parse_topic) {
                self.topics.wake(&topic);
            }
        }
        Ok(())
    }
}

/// One second, then twice as long after each attempt that failed, up to the maximum.
fn reconnect_delays() -> impl Iterator<Item = Duration> {
    ExponentialBuilder::default()
        .with_min_delay(RECONNECT_DELAY)
        .with_max_delay(MAX_RECONNECT_DELAY)
        .without_max_times()
        .build()
}

fn topic_word(topic: &Topic) -> String {
    match topic {
        Topic::Job(id) => id.to_string(),
        Topic::Steps => "steps".into(),
        Topic::Deliveries => "deliveries".into(),
    }
}

fn parse_topic(word: &str) -> Option<Topic> {
    match word {
        "steps" => Some(Topic::Steps),
        "deliveries" => Some(Topic::Deliveries),
        id => id.parse::<JobId>().ok().map(Topic::Job),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delays_double_up_to_the_maximum_and_never_end() {
        let seconds: Vec<u64> = reconnect_delays().take(10).map(|delay| delay.as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 64, 64, 64, 64]);
    }
}
