//! Projects, their balances and their API keys.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::id::{KeyId, ProjectId};
use crate::money::Usd;
use crate::time::Timestamp;

pub use crate::secret::KeySecret;

/// The owner of jobs, API keys and webhook endpoints. A caller sees only those of its own project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub id: ProjectId,
    pub name: String,
    pub plan: String,
    /// `None` if the project does not prepay; then its spending has no limit.
    pub balance: Option<Balance>,
    pub limits: ProjectLimits,
    pub created_at: Timestamp,
}

/// The prepaid money of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Balance {
    pub total: Usd,
    /// The part that is held for requests in progress: the most that they may still cost.
    pub held: Usd,
}

impl Balance {
    /// The most that a new request may cost.
    pub fn available(self) -> Usd {
        self.total - self.held
    }
}

/// Limits of a project, shared by its keys. `None` uses the server's setting; 0 means unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProjectLimits {
    pub requests_per_minute: Option<u32>,
    pub concurrent_transcriptions: Option<u32>,
}

/// What a key may do.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Scope {
    Read,
    Write,
}

impl Scope {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The record of a key. The key itself is never stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    pub id: KeyId,
    pub project_id: ProjectId,
    pub name: String,
    pub scopes: Vec<Scope>,
    /// The first characters of the key, so that a person can identify it.
    pub hint: String,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
}

impl ApiKey {
    pub fn allows(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }

    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|expiry| expiry <= now)
    }
}
