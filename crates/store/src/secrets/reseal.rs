//! All texts that are sealed with the master key, so that they can be sealed again when the key changes.

use auris_domain::id::{EndpointId, ProjectId};

use crate::error::StoreError;
use crate::sql::{Row, Statement, args, statements};
use crate::store::Store;

statements! {
    ENDPOINT_SECRETS = "SELECT id, sealed_secret AS sealed FROM endpoints ORDER BY id";
    ENDPOINT_PREVIOUS = "SELECT id, previous_secret AS sealed FROM endpoints WHERE previous_secret IS NOT NULL ORDER BY id";
    SECRETS = "SELECT name, sealed FROM secrets ORDER BY name";
    SECRETS_PREVIOUS = "SELECT name, previous_sealed AS sealed FROM secrets WHERE previous_sealed IS NOT NULL ORDER BY name";
    /// Stored answers that contain the secret of a new endpoint are sealed.
    ANSWERS = "SELECT project_id, idempotency_key, body AS sealed FROM idempotency_keys
        WHERE method = 'POST' AND path = '/v1/webhook_endpoints' AND body IS NOT NULL";
    /// Replaces only the text that was read: a secret that was rotated in the meantime is already sealed with the new key.
    SEAL_ENDPOINT_SECRET = "UPDATE endpoints SET sealed_secret = $3 WHERE id = $1 AND sealed_secret = $2";
    SEAL_ENDPOINT_PREVIOUS = "UPDATE endpoints SET previous_secret = $3 WHERE id = $1 AND previous_secret = $2";
    SEAL_SECRET = "UPDATE secrets SET sealed = $3 WHERE name = $1 AND sealed = $2";
    SEAL_SECRET_PREVIOUS = "UPDATE secrets SET previous_sealed = $3 WHERE name = $1 AND previous_sealed = $2";
    SEAL_ANSWER = "UPDATE idempotency_keys SET body = $4
        WHERE project_id = $1 AND method = 'POST' AND path = '/v1/webhook_endpoints' AND idempotency_key = $2 AND body = $3";
}

/// Where a sealed text is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SealedPlace {
    EndpointSecret(EndpointId),
    EndpointPrevious(EndpointId),
    Secret(String),
    SecretPrevious(String),
    Answer { project: ProjectId, key: String },
}

/// Reads the place of a sealed text from its row.
type ReadPlace = fn(&Row) -> Result<SealedPlace, StoreError>;

impl Store {
    /// All sealed texts with their places.
    pub async fn sealed_texts(&self) -> Result<Vec<(SealedPlace, String)>, StoreError> {
        let mut texts = Vec::new();
        let lists: [(&Statement, ReadPlace); 5] = [
            (&ENDPOINT_SECRETS, |row| Ok(SealedPlace::EndpointSecret(row.parsed("id")?))),
            (&ENDPOINT_PREVIOUS, |row| Ok(SealedPlace::EndpointPrevious(row.parsed("id")?))),
            (&SECRETS, |row| Ok(SealedPlace::Secret(row.text("name")?))),
            (&SECRETS_PREVIOUS, |row| Ok(SealedPlace::SecretPrevious(row.text("name")?))),
            (&ANSWERS, |row| {
                let project = row.parsed("project_id")?;
                Ok(SealedPlace::Answer { project, key: row.text("idempotency_key")? })
            }),
        ];
        for (statement, place) in lists {
            for row in self.database().many_rows(statement, args![]).await? {
                texts.push((place(&row)?, row.text("sealed")?));
            }
        }
        Ok(texts)
    }

    /// Replaces the sealed text that was read; returns false if it has changed since.
    pub async fn reseal(&self, place: &SealedPlace, old: &str, new: &str) -> Result<bool, StoreError> {
        let (statement, arguments) = match place {
            SealedPlace::EndpointSecret(id) => (&SEAL_ENDPOINT_SECRET, args![id, old, new]),
            SealedPlace::EndpointPrevious(id) => (&SEAL_ENDPOINT_PREVIOUS, args![id, old, new]),
            SealedPlace::Secret(name) => (&SEAL_SECRET, args![name, old, new]),
            SealedPlace::SecretPrevious(name) => (&SEAL_SECRET_PREVIOUS, args![name, old, new]),
            SealedPlace::Answer { project, key } => (&SEAL_ANSWER, args![project, key, old, new]),
        };
        Ok(self.database().write(statement, arguments).await? > 0)
    }
}
