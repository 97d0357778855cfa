//! API keys: stored as hashes and found by them; revoked, and rotated.

use auris_domain::id::{KeyId, ProjectId};
use auris_domain::project::{ApiKey, KeySecret, Project, Scope};
use auris_domain::time::{Millis, Timestamp, Uptime};

use super::projects::{decode_project, project_columns};
use crate::error::StoreError;
use crate::sql::{Argument, Row, args, statements, unreadable};
use crate::store::Store;

/// Minimum time between two updates of a key's `last_used_at`, so that not every request writes.
const TOUCH_MS: i64 = 60_000;

macro_rules! key_columns {
    () => {
        "api_keys.id AS key_id, api_keys.project_id, api_keys.name AS key_name, api_keys.scopes, api_keys.hint,
         api_keys.created_at AS key_created_at, api_keys.expires_at, api_keys.revoked_at, api_keys.last_used_at"
    };
}
pub(super) use key_columns;

statements! {
    INSERT_KEY = "INSERT INTO api_keys
            (id, project_id, name, scopes, hint, hash, created_at, expires_at, revoked_at, last_used_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    KEY_BY_HASH = concat!("SELECT ", key_columns!(), ", hash, ", project_columns!(),
        " FROM api_keys JOIN projects ON projects.id = api_keys.project_id
        LEFT JOIN balances ON balances.project_id = projects.id WHERE api_keys.hash = $1");
    KEY = concat!("SELECT ", key_columns!(), " FROM api_keys WHERE id = $1");
    KEYS = concat!("SELECT ", key_columns!(), " FROM api_keys WHERE project_id = $1 ORDER BY id");
    REVOKE_KEY = "UPDATE api_keys SET revoked_at = COALESCE(revoked_at, $3) WHERE project_id = $1 AND id = $2";
    /// Does not extend a key that expires earlier.
    END_KEY = "UPDATE api_keys SET expires_at = CASE WHEN expires_at < $3 THEN expires_at ELSE $3 END
        WHERE project_id = $1 AND id = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $4)";
    TOUCH_KEY = "UPDATE api_keys SET last_used_at = $2
        WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)";
}

impl Store {
    /// Stores a key with the hash of its secret.
    pub async fn create_key(&self, key: &ApiKey, secret: &KeySecret) -> Result<(), StoreError> {
        self.database().write(&INSERT_KEY, insertion(key, secret)).await.map(drop)
    }

    /// Replaces the key `old`, which stays valid until `until`, by a new one. Returns false, and changes nothing, if the
    /// project has no such valid key.
    pub async fn rotate_key(
        &self,
        old: &KeyId,
        until: Timestamp,
        new: &ApiKey,
        secret: &KeySecret,
    ) -> Result<bool, StoreError> {
        let mut tx = self.database().begin().await?;
        let ended = args![&new.project_id, old, until, new.created_at];
        if tx.write(&END_KEY, ended).await? == 0 {
            tx.rollback().await?;
            return Ok(false);
        }
        tx.write(&INSERT_KEY, insertion(new, secret)).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// The key with this secret and its project, also if the key is revoked or expired: the caller checks that. The
    /// lookup is by hash, so its timing reveals nothing about the secret, and the hash is compared in constant time.
    pub async fn find_key(&self, secret: &KeySecret) -> Result<Option<(ApiKey, Project)>, StoreError> {
        let Some(row) = self.database().row(&KEY_BY_HASH, args![secret.hash()]).await? else {
            return Ok(None);
        };
        if !secret.has_hash(&row.text("hash")?) {
            return Ok(None);
        }
        Ok(Some((decode_key(&row)?, decode_project(&row)?)))
    }

    /// The key with this id, also if it is revoked or expired.
    pub async fn key(&self, id: &KeyId) -> Result<Option<ApiKey>, StoreError> {
        let row = self.database().row(&KEY, args![id]).await?;
        row.as_ref().map(decode_key).transpose()
    }

    /// All keys of a project, oldest first.
    pub async fn keys(&self, project: &ProjectId) -> Result<Vec<ApiKey>, StoreError> {
        let rows = self.database().many_rows(&KEYS, args![project]).await?;
        rows.iter().map(decode_key).collect()
    }

    /// Revokes a key; returns false if the project has no such key. A second revocation keeps the time of the first.
    pub async fn revoke_key(&self, project: &ProjectId, id: &KeyId, now: Millis) -> Result<bool, StoreError> {
        let arguments = args![project, id, now.timestamp()];
        Ok(self.database().write(&REVOKE_KEY, arguments).await? > 0)
    }

    /// Records that a key was used.
    pub async fn touch_key(&self, id: &KeyId, now: Millis) -> Result<(), StoreError> {
        self.database().write(&TOUCH_KEY, args![id, now.timestamp()]).await.map(drop)
    }

    /// Whether a use of the key should be recorded: once a minute. Cheap enough for every request.
    pub fn is_touch_due(&self, id: &KeyId, now: Uptime) -> bool {
        self.recorded_uses().is_due(id, now, TOUCH_MS)
    }
}

fn insertion(key: &ApiKey, secret: &KeySecret) -> Vec<Argument> {
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    args![
        &key.id,
        &key.project_id,
        &key.name,
        scopes.join(" "),
        &key.hint,
        secret.hash(),
        key.created_at,
        key.expires_at,
        key.revoked_at,
        key.last_used_at,
    ]
}

pub(super) fn decode_key(row: &Row) -> Result<ApiKey, StoreError> {
    Ok(ApiKey {
        id: row.parsed("key_id")?,
        project_id: row.parsed("project_id")?,
        name: row.text("key_name")?,
        scopes: read_scopes(row)?,
        hint: row.text("hint")?,
        created_at: row.moment("key_created_at")?,
        expires_at: row.optional_moment("expires_at")?,
        revoked_at: row.optional_moment("revoked_at")?,
        last_used_at: row.optional_moment("last_used_at")?,
    })
}

fn read_scopes(row: &Row) -> Result<Vec<Scope>, StoreError> {
    let text = row.text("scopes")?;
    text.split_whitespace().map(|scope| scope.parse().map_err(|_| unreadable("scopes"))).collect()
}
