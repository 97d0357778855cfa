//! Orphan blobs: those that no row names. Each is remembered until it is deleted, gets a row, or has disappeared.

use auris_domain::time::Millis;

use crate::error::StoreError;
use crate::sql::{args, listed_in_postgres, listed_in_sqlite, rows_argument, statements};
use crate::store::Store;

statements! {
    /// SQLite needs the condition to know that `ON` does not begin a join.
    REMEMBER = "INSERT INTO orphan_blobs (blob_key, first_seen_ms, last_seen_ms)
            SELECT value, $2, $2 FROM json_each($1) WHERE true
            ON CONFLICT (blob_key) DO UPDATE SET last_seen_ms = excluded.last_seen_ms",
        postgres = "INSERT INTO orphan_blobs (blob_key, first_seen_ms, last_seen_ms)
            SELECT listed.value, CAST($2 AS BIGINT), CAST($2 AS BIGINT)
            FROM jsonb_array_elements_text(CAST($1 AS JSONB)) AS listed (value)
            ON CONFLICT (blob_key) DO UPDATE SET last_seen_ms = excluded.last_seen_ms";
    FOUND_BEFORE = concat!("SELECT blob_key FROM orphan_blobs WHERE first_seen_ms <= $2 AND ",
            listed_in_sqlite!("blob_key", "$1")),
        postgres = concat!("SELECT blob_key FROM orphan_blobs WHERE first_seen_ms <= $2 AND ",
            listed_in_postgres!("blob_key", "$1"));
    FORGET = concat!("DELETE FROM orphan_blobs WHERE ", listed_in_sqlite!("blob_key", "$1")),
        postgres = concat!("DELETE FROM orphan_blobs WHERE ", listed_in_postgres!("blob_key", "$1"));
    FORGET_UNSEEN = "DELETE FROM orphan_blobs WHERE last_seen_ms < $1";
}

impl Store {
    /// Remembers blobs that were found without a row, each since it was first found.
    pub async fn remember_orphans(&self, keys: &[String], now: Millis) -> Result<(), StoreError> {
        self.database().write(&REMEMBER, vec![rows_argument(keys)?, now.into()]).await.map(drop)
    }

    /// Those of the blobs that were first found at the given time or before.
    pub async fn orphans_found_before(
        &self,
        keys: &[String],
        time: Millis,
    ) -> Result<Vec<String>, StoreError> {
        let rows = self.database().rows(&FOUND_BEFORE, vec![rows_argument(keys)?, time.into()]).await?;
        rows.iter().map(|row| row.text("blob_key")).collect()
    }

    /// Forgets blobs that were deleted.
    pub async fn forget_orphans(&self, keys: &[String]) -> Result<(), StoreError> {
        self.database().write(&FORGET, vec![rows_argument(keys)?]).await.map(drop)
    }

    /// Forgets blobs that were last found before the given time: they have a row now, or are gone.
    pub async fn forget_unseen_orphans(&self, before: Millis) -> Result<(), StoreError> {
        self.database().write(&FORGET_UNSEEN, args![before]).await.map(drop)
    }
}
