//! Sessions of the console, stored as hashes and found by them.

use auris_domain::id::SessionId;
use auris_domain::project::{ApiKey, Project};
use auris_domain::secret::SessionSecret;
use auris_domain::session::{Session, SessionOwner};
use auris_domain::time::Millis;

use super::api_keys::{decode_key, key_columns};
use super::projects::{decode_project, project_columns};
use crate::error::StoreError;
use crate::sql::{Argument, Row, args, statements};
use crate::store::Store;

/// Expired sessions that are removed when a new one is stored.
const REMOVED_AT_ONCE: u32 = 100;

macro_rules! session_columns {
    () => {
        "sessions.id AS session_id, sessions.api_key_id, sessions.operator_key_id,
         sessions.created_at AS session_created_at, sessions.expires_at AS session_expires_at,
         operator_keys.name AS operator_key_name,
         operator_keys.revoked_at AS operator_revoked_at, operator_keys.expires_at AS operator_expires_at"
    };
}

/// The tables that say whether a session is still valid.
macro_rules! session_tables {
    () => {
        " FROM sessions LEFT JOIN operator_keys ON operator_keys.id = sessions.operator_key_id
        LEFT JOIN api_keys ON api_keys.id = sessions.api_key_id
        LEFT JOIN projects ON projects.id = api_keys.project_id
        LEFT JOIN balances ON balances.project_id = projects.id "
    };
}

statements! {
    INSERT_SESSION = "INSERT INTO sessions (id, hash, api_key_id, operator_key_id, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6)";
    SESSION_BY_HASH = concat!("SELECT sessions.hash AS session_hash, ", session_columns!(), ", ", key_columns!(), ", ",
        project_columns!(), session_tables!(), "WHERE sessions.hash = $1");
    SESSION = concat!("SELECT ", session_columns!(), ", ", key_columns!(), ", ", project_columns!(), session_tables!(),
        "WHERE sessions.id = $1");
    DELETE_SESSION = "DELETE FROM sessions WHERE id = $1";
    OPERATOR_SESSIONS = concat!("SELECT ", session_columns!(),
        " FROM sessions LEFT JOIN operator_keys ON operator_keys.id = sessions.operator_key_id
        WHERE sessions.expires_at > $1 AND sessions.api_key_id IS NULL
        ORDER BY sessions.expires_at DESC, sessions.id DESC");
    DELETE_OPERATOR_SESSION = "DELETE FROM sessions WHERE id = $1 AND api_key_id IS NULL";
    DELETE_EXPIRED_SESSIONS = "DELETE FROM sessions WHERE id IN
        (SELECT id FROM sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)";
}

/// A session with what decides whether it is still valid.
#[derive(Debug, Clone)]
pub struct FoundSession {
    pub session: Session,
    /// The key and project of a project user.
    pub user: Option<(ApiKey, Project)>,
    /// The name of the operator key that started it, if one did.
    pub operator_key_name: Option<String>,
    /// Whether that key was revoked or has expired.
    pub operator_key_ended: bool,
}

/// A session of an operator, with the name of the key that started it; `None` for a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorSession {
    pub session: Session,
    pub key_name: Option<String>,
}

impl Store {
    /// Stores a session with the hash of its secret, and removes some that have expired.
    pub async fn create_session(
        &self,
        session: &Session,
        secret: &SessionSecret,
        now: Millis,
    ) -> Result<(), StoreError> {
        let expired = args![now.timestamp(), REMOVED_AT_ONCE];
        self.database().write(&DELETE_EXPIRED_SESSIONS, expired).await?;
        self.database().write(&INSERT_SESSION, insertion(session, secret)).await.map(drop)
    }

    /// The session with this secret, also if it has expired: the caller checks that.
    pub async fn find_session(
        &self,
        secret: &SessionSecret,
        now: Millis,
    ) -> Result<Option<FoundSession>, StoreError> {
        let Some(row) = self.database().row(&SESSION_BY_HASH, args![secret.hash()]).await? else {
            return Ok(None);
        };
        if !secret.has_hash(row.str("session_hash")?) {
            return Ok(None);
        }
        decode_found(&row, now).map(Some)
    }

    pub async fn session(&self, id: &SessionId, now: Millis) -> Result<Option<FoundSession>, StoreError> {
        let row = self.database().row(&SESSION, args![id]).await?;
        row.as_ref().map(|row| decode_found(row, now)).transpose()
    }

    /// Ends a session; false if there is none.
    pub async fn delete_session(&self, id: &SessionId) -> Result<bool, StoreError> {
        Ok(self.database().write(&DELETE_SESSION, args![id]).await? > 0)
    }

    /// The sessions of operators that are valid now, newest first.
    pub async fn operator_sessions(&self, now: Millis) -> Result<Vec<OperatorSession>, StoreError> {
        let rows = self.database().many_rows(&OPERATOR_SESSIONS, args![now.timestamp()]).await?;
        let mut sessions = Vec::with_capacity(rows.len());
        for row in &rows {
            if !operator_key_ended(row, now)? {
                let key_name = row.optional_text("operator_key_name")?;
                sessions.push(OperatorSession { session: decode_session(row)?, key_name });
            }
        }
        Ok(sessions)
    }

    /// Ends the session of an operator; false if there is none with this id.
    pub async fn delete_operator_session(&self, id: &SessionId) -> Result<bool, StoreError> {
        Ok(self.database().write(&DELETE_OPERATOR_SESSION, args![id]).await? > 0)
    }
}

fn insertion(session: &Session, secret: &SessionSecret) -> Vec<Argument> {
    let (api_key, operator_key) = match &session.owner {
        SessionOwner::ProjectUser(key) => (Some(key), None),
        SessionOwner::OperatorWithKey(key) => (None, Some(key)),
        SessionOwner::OperatorWithLink => (None, None),
    };
    args![&session.id, secret.hash(), api_key, operator_key, session.created_at, session.expires_at]
}

fn decode_found(row: &Row, now: Millis) -> Result<FoundSession, StoreError> {
    let session = decode_session(row)?;
    let user = match &session.owner {
        SessionOwner::ProjectUser(_) => Some((decode_key(row)?, decode_project(row)?)),
        SessionOwner::OperatorWithKey(_) | SessionOwner::OperatorWithLink => None,
    };
    let operator_key_name = row.optional_text("operator_key_name")?;
    Ok(FoundSession { session, user, operator_key_name, operator_key_ended: operator_key_ended(row, now)? })
}

fn operator_key_ended(row: &Row, now: Millis) -> Result<bool, StoreError> {
    let is_revoked = row.optional_integer("operator_revoked_at")?.is_some();
    let expiry = row.optional_moment("operator_expires_at")?;
    Ok(is_revoked || expiry.is_some_and(|expiry| expiry <= now.timestamp()))
}

fn decode_session(row: &Row) -> Result<Session, StoreError> {
    let owner = match (row.optional_parsed("api_key_id")?, row.optional_parsed("operator_key_id")?) {
        (Some(key), _) => SessionOwner::ProjectUser(key),
        (None, Some(key)) => SessionOwner::OperatorWithKey(key),
        (None, None) => SessionOwner::OperatorWithLink,
    };
    Ok(Session {
        id: row.parsed("session_id")?,
        owner,
        created_at: row.moment("session_created_at")?,
        expires_at: row.moment("session_expires_at")?,
    })
}
