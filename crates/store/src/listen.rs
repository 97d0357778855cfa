//! Wake-ups between nodes on PostgreSQL: one connection listens, one task tells.

use std::collections::HashSet;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use auris_domain::id::JobId;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use sqlx::{AssertSqlSafe, ConnectOptions, PgPool};
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;

use crate::db::DatabaseSettings;
use crate::error::StoreError;
use crate::notify::{Topic, Topics};

const CHANNEL: &str = "auris";
/// PostgreSQL takes just under 8,000 bytes; a topic has at most 24.
const TOPICS_A_NOTICE: usize = 256;
/// Between two notices; the first after a quiet moment goes at once.
const PAUSE: Duration = Duration::from_millis(5);
const RECONNECT: Duration = Duration::from_secs(1);
/// A server that knows no LISTEN is asked once in a while, for it may have been a passing failure.
const LONGEST_PAUSE: Duration = Duration::from_secs(64);

/// This node's end of the wire between nodes.
pub(crate) struct Nodes {
    outbox: mpsc::UnboundedSender<Topic>,
    tasks: Vec<AbortHandle>,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests wait until the wire stands"))]
    listening: watch::Receiver<bool>,
}

impl Nodes {
    /// Notices are told after the commit by a task of their own, many at once: inside the transactions they would make
    /// PostgreSQL commit one at a time, for it orders notices under one lock.
    pub(crate) fn start(settings: &DatabaseSettings, topics: Arc<Topics>) -> Result<Self, StoreError> {
        let node = format!("{:016x}", rand::random::<u64>());
        let (outbox, inbox) = mpsc::unbounded_channel();
        let (stands, listening) = watch::channel(false);
        let teller = tokio::spawn(tell(telling(settings)?, inbox, node.clone()));
        let mut tasks = vec![teller.abort_handle()];
        // A pooler in transaction mode cannot listen; without a direct way this node polls.
        let direct = settings.listen_url.as_deref().or((!settings.pooler).then_some(&settings.url));
        if let Some(url) = direct {
            let pool = PgPoolOptions::new().max_connections(1);
            let pool = pool.connect_lazy_with(options(url)?);
            tasks.push(tokio::spawn(listen(pool, topics, node, stands)).abort_handle());
        }
        Ok(Self { outbox, tasks, listening })
    }

    pub(crate) fn tell(&self, topic: Topic) {
        // Fails only when the store is closing, and then nobody waits.
        let _ = self.outbox.send(topic);
    }

    /// What was told last, such as the steps that are handed back, is given a moment to go out.
    pub(crate) async fn close(&self) {
        tokio::time::sleep(PAUSE * 4).await;
        self.stop();
    }

    fn stop(&self) {
        for task in &self.tasks {
            task.abort();
        }
    }

    #[cfg(test)]
    pub(crate) async fn listening(&self) {
        let _ = self.listening.clone().wait_for(|stands| *stands).await;
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        self.stop();
    }
}

fn options(url: &str) -> Result<PgConnectOptions, StoreError> {
    Ok(PgConnectOptions::from_str(url)?.disable_statement_logging())
}

fn telling(settings: &DatabaseSettings) -> Result<PgPool, StoreError> {
    let url = settings.listen_url.as_deref().unwrap_or(&settings.url);
    let mut options = options(url)?.statement_cache_capacity(0);
    if !settings.pooler {
        // A notice that a crash loses is only a delay, so it need not wait for the disk. Poolers refuse such options.
        options = options.options([("synchronous_commit", "off")]);
    }
    Ok(PgPoolOptions::new().max_connections(1).connect_lazy_with(options))
}

/// Takes whatever has gathered since the last notice, so that a busy node sends few.
async fn tell(pool: PgPool, mut inbox: mpsc::UnboundedReceiver<Topic>, node: String) {
    let mut topics = Vec::new();
    while inbox.recv_many(&mut topics, TOPICS_A_NOTICE).await > 0 {
        let unique: HashSet<String> = topics.drain(..).map(|topic| topic_word(&topic)).collect();
        let words: Vec<String> = unique.into_iter().collect();
        let payload = format!("{node} {}", words.join(" "));
        if let Err(error) = send(&pool, &payload).await {
            tracing::debug!(%error, "a notice to other nodes was not sent; they poll");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// In one message, which is a transaction by itself, also behind a pooler. There is nothing in it but ids and words of
/// this file, so it needs no quoting.
async fn send(pool: &PgPool, payload: &str) -> Result<(), sqlx::Error> {
    let notice = format!("NOTIFY {CHANNEL}, '{payload}'");
    sqlx::raw_sql(AssertSqlSafe(notice)).execute(pool).await.map(drop)
}

async fn listen(pool: PgPool, topics: Arc<Topics>, node: String, stands: watch::Sender<bool>) {
    let mut pause = RECONNECT;
    loop {
        let ended = listen_once(&pool, &topics, &node, &stands).await;
        // Said once for each connection that stood, and once where none ever did.
        if let (Err(error), true) = (&ended, pause == RECONNECT || *stands.borrow()) {
            tracing::warn!(%error, "no connection for notices; polling until there is one");
        }
        pause = if stands.send_replace(false) { RECONNECT } else { (pause * 2).min(LONGEST_PAUSE) };
        tokio::time::sleep(pause).await;
    }
}

async fn listen_once(
    pool: &PgPool,
    topics: &Topics,
    node: &str,
    stands: &watch::Sender<bool>,
) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    stands.send_replace(true);
    topics.wake_all();
    while let Some(notice) = listener.try_recv().await? {
        let mut words = notice.payload().split(' ');
        if words.next() == Some(node) {
            continue;
        }
        for topic in words.filter_map(read_topic) {
            topics.wake(&topic);
        }
    }
    Ok(())
}

fn topic_word(topic: &Topic) -> String {
    match topic {
        Topic::Job(id) => id.to_string(),
        Topic::Steps => "steps".into(),
        Topic::Deliveries => "deliveries".into(),
    }
}

fn read_topic(word: &str) -> Option<Topic> {
    match word {
        "steps" => Some(Topic::Steps),
        "deliveries" => Some(Topic::Deliveries),
        id => id.parse::<JobId>().ok().map(Topic::Job),
    }
}
