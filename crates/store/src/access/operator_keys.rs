//! Keys of operators, stored as hashes and found by them, and sign-in links, each of which is used once.

use auris_domain::id::OperatorKeyId;
use auris_domain::secret::{LinkSecret, OperatorKeySecret};
use auris_domain::session::OperatorKey;
use auris_domain::time::{Millis, Timestamp};

use crate::error::StoreError;
use crate::sql::{Row, args, statements};
use crate::store::Store;

macro_rules! operator_key_columns {
    () => {
        "id, name, hint, created_at, expires_at, revoked_at, last_used_at"
    };
}

statements! {
    INSERT_OPERATOR_KEY = "INSERT INTO operator_keys
            (id, name, hint, hash, created_at, expires_at, revoked_at, last_used_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    OPERATOR_KEY_BY_HASH = concat!("SELECT hash, ", operator_key_columns!(), " FROM operator_keys WHERE hash = $1");
    OPERATOR_KEYS = concat!("SELECT ", operator_key_columns!(), " FROM operator_keys ORDER BY id");
    REVOKE_OPERATOR_KEY = "UPDATE operator_keys SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1";
    END_SESSIONS = "DELETE FROM sessions WHERE operator_key_id = $1";
    TOUCH_OPERATOR_KEY = "UPDATE operator_keys SET last_used_at = $2
        WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $3)";
    INSERT_LINK = "INSERT INTO sign_in_links (hash, expires_at) VALUES ($1, $2)";
    LINK_EXISTS = "SELECT 1 AS one FROM sign_in_links WHERE hash = $1";
    /// Deletes the link, so that of several requests with it only one succeeds.
    USE_LINK = "DELETE FROM sign_in_links WHERE hash = $1 AND expires_at > $2";
    DELETE_EXPIRED_LINKS = "DELETE FROM sign_in_links WHERE expires_at <= $1";
}

/// Minimum time between two updates of a key's `last_used_at`.
const TOUCH_SECONDS: i64 = 60;

impl Store {
    /// Stores an operator's key with the hash of its secret.
    pub async fn create_operator_key(
        &self,
        key: &OperatorKey,
        secret: &OperatorKeySecret,
    ) -> Result<(), StoreError> {
        let arguments = args![
            &key.id,
            &key.name,
            &key.hint,
            secret.hash(),
            key.created_at,
            key.expires_at,
            key.revoked_at,
            key.last_used_at,
        ];
        self.database().write(&INSERT_OPERATOR_KEY, arguments).await.map(drop)
    }

    /// The key with this secret, also if it is revoked or expired: the caller checks that.
    pub async fn find_operator_key(
        &self,
        secret: &OperatorKeySecret,
    ) -> Result<Option<OperatorKey>, StoreError> {
        let Some(row) = self.database().row(&OPERATOR_KEY_BY_HASH, args![secret.hash()]).await? else {
            return Ok(None);
        };
        if !secret.has_hash(row.str("hash")?) {
            return Ok(None);
        }
        decode_operator_key(&row).map(Some)
    }

    /// All keys of operators, oldest first.
    pub async fn operator_keys(&self) -> Result<Vec<OperatorKey>, StoreError> {
        let rows = self.database().many_rows(&OPERATOR_KEYS, args![]).await?;
        rows.iter().map(decode_operator_key).collect()
    }

    /// Revokes a key and ends its sessions; returns false if there is no such key.
    pub async fn revoke_operator_key(&self, id: &OperatorKeyId, now: Millis) -> Result<bool, StoreError> {
        let mut tx = self.database().begin().await?;
        let revoked = tx.write(&REVOKE_OPERATOR_KEY, args![id, now.timestamp()]).await? > 0;
        tx.write(&END_SESSIONS, args![id]).await?;
        tx.commit().await?;
        Ok(revoked)
    }

    /// Records that a key was used, at most once a minute.
    pub async fn touch_operator_key(&self, id: &OperatorKeyId, now: Millis) -> Result<(), StoreError> {
        let now = now.timestamp();
        let arguments = args![id, now, now.plus_seconds(-TOUCH_SECONDS)];
        self.database().write(&TOUCH_OPERATOR_KEY, arguments).await.map(drop)
    }

    /// Stores a sign-in link, and removes those that were not used in time.
    pub async fn create_link(
        &self,
        secret: &LinkSecret,
        now: Millis,
        expires_at: Timestamp,
    ) -> Result<(), StoreError> {
        self.database().write(&DELETE_EXPIRED_LINKS, args![now.timestamp()]).await?;
        self.database().write(&INSERT_LINK, args![secret.hash(), expires_at]).await.map(drop)
    }

    /// Uses a link up; false if it was used before, has expired or never existed. A wrong link writes nothing.
    pub async fn use_link(&self, secret: &LinkSecret, now: Millis) -> Result<bool, StoreError> {
        if self.database().row(&LINK_EXISTS, args![secret.hash()]).await?.is_none() {
            return Ok(false);
        }
        Ok(self.database().write(&USE_LINK, args![secret.hash(), now.timestamp()]).await? == 1)
    }
}

fn decode_operator_key(row: &Row) -> Result<OperatorKey, StoreError> {
    Ok(OperatorKey {
        id: row.parsed("id")?,
        name: row.text("name")?,
        hint: row.text("hint")?,
        created_at: row.moment("created_at")?,
        expires_at: row.optional_moment("expires_at")?,
        revoked_at: row.optional_moment("revoked_at")?,
        last_used_at: row.optional_moment("last_used_at")?,
    })
}
