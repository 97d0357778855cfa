//! Secrets of the service and of its projects.

use auris_domain::time::Millis;

use crate::error::StoreError;
use crate::sql::{args, statements};
use crate::store::Store;

statements! {
    KEEP_SECRET = "INSERT INTO secrets (name, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    SECRET = "SELECT sealed, previous_sealed, previous_until_ms FROM secrets WHERE name = $1";
    /// Without an end time for the previous secret, it is deleted at once.
    REPLACE_SECRET = "UPDATE secrets SET sealed = $2, previous_until_ms = $3,
            previous_sealed = CASE WHEN CAST($3 AS BIGINT) IS NULL THEN NULL ELSE sealed END
        WHERE name = $1";
}

/// A secret and its predecessor, both sealed with the master key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedSecrets {
    pub current: String,
    /// The previous secret, and the time until which it is valid.
    pub previous: Option<(String, Millis)>,
}

impl Store {
    /// The sealed secrets with this name.
    pub async fn secrets(&self, name: &str) -> Result<Option<SealedSecrets>, StoreError> {
        let Some(row) = self.database().row(&SECRET, args![name]).await? else {
            return Ok(None);
        };
        let previous = row.optional_text("previous_sealed")?.zip(row.optional_integer("previous_until_ms")?);
        Ok(Some(SealedSecrets {
            current: row.text("sealed")?,
            previous: previous.map(|(sealed, until)| (sealed, Millis(until))),
        }))
    }

    /// Stores a secret unless there is one already; returns the stored one, so that all nodes use the same.
    pub async fn keep_secret(&self, name: &str, sealed: &str) -> Result<SealedSecrets, StoreError> {
        self.database().write(&KEEP_SECRET, args![name, sealed]).await?;
        self.secrets(name)
            .await?
            .ok_or_else(|| StoreError::internal("a secret was deleted while it was stored"))
    }

    /// Replaces an existing secret, which stays valid until `previous_until`. Returns false if there is none.
    pub async fn replace_secret(
        &self,
        name: &str,
        sealed: &str,
        previous_until: Option<Millis>,
    ) -> Result<bool, StoreError> {
        let arguments = args![name, sealed, previous_until.map(|until| until.0)];
        Ok(self.database().write(&REPLACE_SECRET, arguments).await? > 0)
    }
}
