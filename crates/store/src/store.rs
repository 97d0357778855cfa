//! The store itself: opened once, cloned freely.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use auris_domain::id::KeyId;
use auris_domain::time::Uptime;
use parking_lot::Mutex;

use crate::error::StoreError;
use crate::sql::{Database, DatabaseSettings, args, migrations, statements};
use crate::wakeups::{Topic, Wakeups};

/// Maximum number of API keys whose last recorded use is kept in memory, about 1 MB.
const MAX_RECORDED_USES: usize = 10_000;

statements! {
    PING = "SELECT 1 AS one";
}

/// Everything that is stored in rows. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    database: Database,
    wakeups: Wakeups,
    recorded_uses: RecordedUses,
    /// The project whose queued steps this process claimed last.
    last_served: Mutex<String>,
    /// The project of which this process last checked whether it has a running step.
    last_checked: Mutex<String>,
}

impl Store {
    /// Connects, and starts to receive the wake-ups of other nodes. The caller decides whether to call `migrate`.
    pub async fn open(settings: &DatabaseSettings) -> Result<Self, StoreError> {
        let database = Database::open(settings).await?;
        let wakeups = match &database {
            Database::Sqlite { .. } => Wakeups::in_process(),
            Database::Postgres { .. } => Wakeups::between_nodes(settings)?,
        };
        let inner = Arc::new(Inner {
            database,
            wakeups,
            recorded_uses: RecordedUses::default(),
            last_served: Mutex::default(),
            last_checked: Mutex::default(),
        });
        tokio::spawn(poll(Arc::downgrade(&inner), settings.poll_interval));
        Ok(Self { inner })
    }

    /// Succeeds if the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.database().row(&PING, args![]).await.map(drop)
    }

    /// Brings the schema up to date, or accepts a newer one that this program can use; returns the number of migrations
    /// that ran. Fails if a migration that was applied before had another text.
    pub async fn migrate(&self) -> Result<u32, StoreError> {
        migrations::migrate(self.database()).await
    }

    /// Fails if a migration that was applied to the database had another text than this program's.
    pub async fn verify_migrations(&self) -> Result<(), StoreError> {
        migrations::verify(self.database()).await
    }

    /// The number of migrations that were applied to the database; 0 if it is empty.
    pub async fn schema_version(&self) -> Result<u32, StoreError> {
        migrations::schema_version(self.database()).await
    }

    /// The number of migrations that this program knows.
    pub fn known_schema() -> u32 {
        migrations::MIGRATIONS.len() as u32
    }

    /// Closes all connections; every later call fails with `Unavailable`.
    pub async fn close(&self) {
        self.inner.wakeups.close().await;
        self.inner.database.close().await;
    }

    pub fn wakeups(&self) -> &Wakeups {
        &self.inner.wakeups
    }

    pub(crate) fn database(&self) -> &Database {
        &self.inner.database
    }

    pub(crate) fn recorded_uses(&self) -> &RecordedUses {
        &self.inner.recorded_uses
    }

    pub(crate) fn last_served(&self) -> &Mutex<String> {
        &self.inner.last_served
    }

    pub(crate) fn last_checked(&self) -> &Mutex<String> {
        &self.inner.last_checked
    }

    pub(crate) fn wake(&self, topics: impl IntoIterator<Item = Topic>) {
        self.inner.wakeups.wake(topics);
    }
}

/// When the use of each API key was last recorded, so that not every request writes.
#[derive(Default)]
pub(crate) struct RecordedUses(Mutex<HashMap<KeyId, Uptime>>);

impl RecordedUses {
    /// Returns true, and remembers `now`, if the last recorded use is at least `age_ms` old.
    pub(crate) fn is_due(&self, id: &KeyId, now: Uptime, age_ms: i64) -> bool {
        let mut uses = self.0.lock();
        let is_recent = |last: &Uptime| now.since(*last) < age_ms;
        if uses.get(id).is_some_and(is_recent) {
            return false;
        }
        if uses.len() >= MAX_RECORDED_USES {
            uses.retain(|_, last| is_recent(last));
        }
        if uses.len() >= MAX_RECORDED_USES {
            // More keys than that are in use at once: a few uses are then recorded more often than necessary.
            uses.clear();
        }
        uses.insert(id.clone(), now);
        true
    }
}

/// Polls until the store is dropped.
async fn poll(store: Weak<Inner>, interval: Duration) {
    loop {
        tokio::time::sleep(interval).await;
        let Some(inner) = store.upgrade() else { return };
        if let Err(error) = inner.wakeups.poll(&inner.database).await {
            tracing::debug!(%error, "polling for job changes failed; trying again at the next interval");
        }
    }
}

#[cfg(test)]
mod tests {
    use auris_domain::time::Millis;

    use super::*;

    #[test]
    fn a_use_is_recorded_once_per_interval_and_memory_stays_bounded() {
        let uses = RecordedUses::default();
        let key = KeyId::generate(Millis(1));
        assert!(uses.is_due(&key, Uptime(100), 60));
        assert!(!uses.is_due(&key, Uptime(159), 60));
        assert!(uses.is_due(&key, Uptime(160), 60));
        for _ in 0..3 * MAX_RECORDED_USES {
            assert!(uses.is_due(&KeyId::generate(Millis(1)), Uptime(161), 60));
            assert!(uses.0.lock().len() <= MAX_RECORDED_USES);
        }
    }
}
