//! The store itself: opened once, cloned freely.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use auris_domain::id::KeyId;
use auris_domain::time::Timestamp;

use crate::db::{Database, DatabaseSettings, args};
use crate::error::StoreError;
use crate::notify::{Notify, Topic};
use crate::shared_read::poll;
use crate::statements::statements;

statements! {
    PING = "SELECT 1 AS one";
}

/// Everything that is remembered in rows. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    database: Database,
    notify: Notify,
    /// When each key was last told to be used, so that not every request writes.
    touched: Mutex<HashMap<KeyId, Timestamp>>,
    /// The project whose queued steps were claimed last.
    last_served: Mutex<String>,
}

impl Store {
    /// Connects, and begins to listen for other nodes; `migrate` is the caller's to call.
    pub async fn open(settings: &DatabaseSettings) -> Result<Self, StoreError> {
        let database = Database::open(settings).await?;
        let notify = match &database {
            Database::Sqlite { .. } => Notify::in_process(),
            Database::Postgres { .. } => Notify::between_nodes(settings)?,
        };
        let inner = Inner { database, notify, touched: Mutex::default(), last_served: Mutex::default() };
        let inner = Arc::new(inner);
        tokio::spawn(poll(Arc::downgrade(&inner)));
        Ok(Self { inner })
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.database().row(&PING, args![]).await.map(drop)
    }

    /// Ends all connections; whatever is asked afterwards is `Unavailable`.
    pub async fn close(&self) {
        self.inner.notify.close().await;
        self.inner.database.close().await;
    }

    pub fn notify(&self) -> &Notify {
        &self.inner.notify
    }

    pub(crate) fn database(&self) -> &Database {
        &self.inner.database
    }

    pub(crate) fn touched(&self) -> &Mutex<HashMap<KeyId, Timestamp>> {
        &self.inner.touched
    }

    pub(crate) fn last_served(&self) -> &Mutex<String> {
        &self.inner.last_served
    }

    pub(crate) fn wake(&self, topics: impl IntoIterator<Item = Topic>) {
        self.inner.notify.wake(topics);
    }
}

impl From<Arc<Inner>> for Store {
    fn from(inner: Arc<Inner>) -> Self {
        Self { inner }
    }
}
