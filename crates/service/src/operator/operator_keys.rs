//! Keys of operators, and links with which an operator signs in to the console once.

use auris_domain::id::OperatorKeyId;
use auris_domain::secret::{LinkSecret, OperatorKeySecret};
use auris_domain::session::{LINK_SECONDS, OperatorKey};
use auris_domain::time::Timestamp;
use serde::Serialize;

use super::keys::KeyState;
use super::{Operator, OperatorError, Result};

const MAX_NAME_CHARACTERS: usize = 64;

/// A key to create.
#[derive(Debug, Clone)]
pub struct NewOperatorKey {
    pub name: String,
    /// Seconds until the key expires; `None` for a key that never expires.
    pub lifetime_seconds: Option<i64>,
}

/// A key as it is listed. The key itself is stored only as a hash.
#[derive(Debug, Clone, Serialize)]
pub struct OperatorKeyRecord {
    pub id: OperatorKeyId,
    pub name: String,
    /// The first characters of the key.
    pub hint: String,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
    pub state: KeyState,
}

/// A new key with its secret, which cannot be read again later.
#[derive(Debug, Clone, Serialize)]
pub struct CreatedOperatorKey {
    #[serde(flatten)]
    pub record: OperatorKeyRecord,
    pub key: String,
}

/// The result of revoking a key.
#[derive(Debug, Clone, Serialize)]
pub struct RevokedOperatorKey {
    pub id: OperatorKeyId,
    pub revoked: bool,
}

impl OperatorKeyRecord {
    fn of(key: OperatorKey, now: Timestamp) -> Self {
        let state = match (key.revoked_at, key.is_valid(now)) {
            (Some(_), _) => KeyState::Revoked,
            (None, true) => KeyState::Active,
            (None, false) => KeyState::Expired,
        };
        Self {
            state,
            id: key.id,
            name: key.name,
            hint: key.hint,
            created_at: key.created_at,
            expires_at: key.expires_at,
            revoked_at: key.revoked_at,
            last_used_at: key.last_used_at,
        }
    }
}

impl Operator {
    /// Creates a key.
    pub async fn create_operator_key(&self, new: NewOperatorKey) -> Result<CreatedOperatorKey> {
        if new.lifetime_seconds.is_some_and(|seconds| seconds <= 0) {
            let message = "a key cannot expire at the moment it is created; give it a lifetime such as 90d";
            return Err(OperatorError::invalid(message));
        }
        let name = new.name.trim();
        if name.is_empty() || name.chars().count() > MAX_NAME_CHARACTERS || name.chars().any(char::is_control)
        {
            return Err(OperatorError::invalid(format!(
                "the name of a key must have 1 to {MAX_NAME_CHARACTERS} characters on one line"
            )));
        }
        let now = self.clock.now();
        let secret = OperatorKeySecret::generate();
        let key = OperatorKey {
            id: OperatorKeyId::generate(now),
            name: name.to_owned(),
            hint: secret.hint(),
            created_at: now.timestamp(),
            expires_at: new.lifetime_seconds.map(|seconds| now.timestamp().plus_seconds(seconds)),
            revoked_at: None,
            last_used_at: None,
        };
        self.store.create_operator_key(&key, &secret).await?;
        let record = OperatorKeyRecord::of(key, now.timestamp());
        Ok(CreatedOperatorKey { record, key: secret.reveal().to_owned() })
    }

    pub async fn list_operator_keys(&self) -> Result<Vec<OperatorKeyRecord>> {
        let now = self.clock.now().timestamp();
        let keys = self.store.operator_keys().await?;
        Ok(keys.into_iter().map(|key| OperatorKeyRecord::of(key, now)).collect())
    }

    /// Revokes a key. Its sessions end at once.
    pub async fn revoke_operator_key(&self, id: &OperatorKeyId) -> Result<RevokedOperatorKey> {
        if !self.store.revoke_operator_key(id, self.clock.now()).await? {
            return Err(OperatorError::not_found(format!(
                "there is no operator key `{id}`; `auris operator keys list` lists them"
            )));
        }
        Ok(RevokedOperatorKey { id: id.clone(), revoked: true })
    }

    /// Creates the secret of a link with which an operator signs in once, within ten minutes.
    pub async fn create_sign_in_link(&self) -> Result<LinkSecret> {
        let now = self.clock.now();
        let secret = LinkSecret::generate();
        self.store.create_link(&secret, now, now.timestamp().plus_seconds(LINK_SECONDS)).await?;
        Ok(secret)
    }
}
