//! Who is signed in to the console: sessions, and the keys of operators.

use crate::id::{KeyId, OperatorKeyId, SessionId};
use crate::time::Timestamp;

/// How long a session lasts.
pub const SESSION_SECONDS: i64 = 12 * 60 * 60;
/// How long a sign-in link is valid.
pub const LINK_SECONDS: i64 = 10 * 60;

/// The record of an operator's key. The key itself is never stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorKey {
    pub id: OperatorKeyId,
    pub name: String,
    /// The first characters of the key, so that a person can identify it.
    pub hint: String,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
}

impl OperatorKey {
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|expiry| expiry > now)
    }
}

/// One sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub owner: SessionOwner,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

/// Who signed in, and with what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionOwner {
    /// A user of the key's project.
    ProjectUser(KeyId),
    /// An operator with a key.
    OperatorWithKey(OperatorKeyId),
    /// An operator with a sign-in link.
    OperatorWithLink,
}

impl Session {
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at <= now
    }
}
