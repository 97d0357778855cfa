//! API keys: created, listed, revoked and rotated.

use auris_domain::id::{KeyId, ProjectId};
use auris_domain::project::{ApiKey, KeySecret, Project, Scope};
use auris_domain::time::Timestamp;
use serde::Serialize;

use super::{DEFAULT_PROJECT, Operator, OperatorError, Result};

/// A key to create.
#[derive(Debug, Clone)]
pub struct NewKey {
    pub name: String,
    pub scopes: Vec<Scope>,
    /// Seconds until the key expires; `None` for a key that never expires.
    pub lifetime_seconds: Option<i64>,
}

/// A key to replace.
#[derive(Debug, Clone)]
pub struct RotateKey {
    pub id: KeyId,
    /// Seconds for which the old key keeps working; 0 ends it now.
    pub grace_seconds: i64,
}

/// A key as it is listed. The key itself is stored only as a hash.
#[derive(Debug, Clone, Serialize)]
pub struct KeyRecord {
    pub id: KeyId,
    pub project_id: ProjectId,
    pub name: String,
    /// The first characters of the key.
    pub hint: String,
    pub scopes: Vec<Scope>,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
    #[serde(skip)]
    pub state: KeyState,
}

/// Whether a key works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    Active,
    Expired,
    Revoked,
}

/// A new key with its secret, which cannot be read again later.
#[derive(Debug, Clone, Serialize)]
pub struct CreatedKey {
    #[serde(flatten)]
    pub record: KeyRecord,
    /// The secret that callers send.
    pub key: String,
}

/// The result of revoking a key.
#[derive(Debug, Clone, Serialize)]
pub struct RevokedKey {
    pub id: KeyId,
    pub revoked: bool,
}

impl KeyState {
    fn of(key: &ApiKey, now: Timestamp) -> Self {
        if key.revoked_at.is_some() {
            Self::Revoked
        } else if key.is_expired(now) {
            Self::Expired
        } else {
            Self::Active
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

impl KeyRecord {
    fn of(key: ApiKey, now: Timestamp) -> Self {
        Self {
            state: KeyState::of(&key, now),
            id: key.id,
            project_id: key.project_id,
            name: key.name,
            hint: key.hint,
            scopes: key.scopes,
            created_at: key.created_at,
            expires_at: key.expires_at,
            revoked_at: key.revoked_at,
            last_used_at: key.last_used_at,
        }
    }
}

impl Operator {
    /// Creates a key.
    pub async fn create_key(&self, project: &str, new: NewKey) -> Result<CreatedKey> {
        if new.lifetime_seconds.is_some_and(|seconds| seconds <= 0) {
            let message = "a key cannot expire at the moment it is created; give it a lifetime such as 90d";
            return Err(OperatorError::invalid(message));
        }
        let project = self.project(project).await?;
        let (key, secret) = self.generate_key(&project, new);
        self.store.create_key(&key, &secret).await?;
        Ok(self.created(key, &secret))
    }

    /// Creates the default project and its first key. `None` if the project already has a key.
    pub async fn create_first_key(&self) -> Result<Option<CreatedKey>> {
        let project = self.project(DEFAULT_PROJECT).await?;
        if !self.store.keys(&project.id).await?.is_empty() {
            return Ok(None);
        }
        let scopes = vec![Scope::Read, Scope::Write];
        let new = NewKey { name: "first".into(), scopes, lifetime_seconds: None };
        self.create_key(DEFAULT_PROJECT, new).await.map(Some)
    }

    /// Lists the keys of a project, oldest first.
    pub async fn list_keys(&self, project: &str) -> Result<Vec<KeyRecord>> {
        let project = self.project(project).await?;
        let keys = self.store.keys(&project.id).await?;
        let now = self.clock.now().timestamp();
        Ok(keys.into_iter().map(|key| KeyRecord::of(key, now)).collect())
    }

    /// Ends a key. It stops working within five seconds on every node.
    pub async fn revoke_key(&self, project: &str, id: &KeyId) -> Result<RevokedKey> {
        let project = self.project(project).await?;
        if !self.store.revoke_key(&project.id, id, self.clock.now()).await? {
            return Err(no_key(&project, id));
        }
        Ok(RevokedKey { id: id.clone(), revoked: true })
    }

    /// Replaces a key by a new one with the same name and scopes and, if it had one, the same lifetime.
    pub async fn rotate_key(&self, project: &str, rotate: &RotateKey) -> Result<CreatedKey> {
        let id = &rotate.id;
        let project = self.project(project).await?;
        let keys = self.store.keys(&project.id).await?;
        let old = keys.into_iter().find(|key| key.id == *id).ok_or_else(|| no_key(&project, id))?;
        let lifetime_seconds = old.expires_at.map(|end| end.0 - old.created_at.0);
        let new = NewKey { name: old.name, scopes: old.scopes, lifetime_seconds };
        let (key, secret) = self.generate_key(&project, new);
        let old_ends_at = self.clock.now().timestamp().plus_seconds(rotate.grace_seconds);
        if !self.store.rotate_key(id, old_ends_at, &key, &secret).await? {
            let message =
                format!("the key `{id}` is revoked or expired; create a new one with `auris keys create`");
            return Err(OperatorError::conflict(message));
        }
        Ok(self.created(key, &secret))
    }

    fn generate_key(&self, project: &Project, new: NewKey) -> (ApiKey, KeySecret) {
        let now = self.clock.now();
        let secret = KeySecret::generate();
        let key = ApiKey {
            id: KeyId::generate(now),
            project_id: project.id.clone(),
            name: new.name,
            scopes: new.scopes,
            hint: secret.hint(),
            created_at: now.timestamp(),
            expires_at: new.lifetime_seconds.map(|seconds| now.timestamp().plus_seconds(seconds)),
            revoked_at: None,
            last_used_at: None,
        };
        (key, secret)
    }

    fn created(&self, key: ApiKey, secret: &KeySecret) -> CreatedKey {
        let record = KeyRecord::of(key, self.clock.now().timestamp());
        CreatedKey { record, key: secret.reveal().to_owned() }
    }
}

fn no_key(project: &Project, id: &KeyId) -> OperatorError {
    let name = &project.name;
    OperatorError::not_found(format!(
        "the project `{name}` has no key `{id}`; `auris keys list` lists its keys"
    ))
}
