//! Who is signed in to the console as an operator, and how an operator ends the session of another one.

use auris_domain::id::{OperatorKeyId, SessionId};
use auris_domain::session::SessionOwner;
use auris_domain::time::Timestamp;
use auris_store::OperatorSession;
use serde::Serialize;

use super::{Operator, OperatorError, Result};

/// A session as it is listed. Its secret is stored only as a hash.
#[derive(Debug, Clone, Serialize)]
pub struct OperatorSessionRecord {
    pub id: SessionId,
    /// The operator key that it was started with; `None` for a sign-in link.
    pub key_id: Option<OperatorKeyId>,
    pub key_name: Option<String>,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

/// The result of ending a session.
#[derive(Debug, Clone, Serialize)]
pub struct EndedSession {
    pub id: SessionId,
    pub ended: bool,
}

impl OperatorSessionRecord {
    fn of(found: OperatorSession) -> Self {
        let OperatorSession { session, key_name } = found;
        let key_id = match session.owner {
            SessionOwner::OperatorWithKey(id) => Some(id),
            SessionOwner::OperatorWithLink | SessionOwner::ProjectUser(_) => None,
        };
        Self {
            id: session.id,
            key_id,
            key_name,
            created_at: session.created_at,
            expires_at: session.expires_at,
        }
    }
}

impl Operator {
    /// The sessions of operators that are valid now, newest first.
    pub async fn list_operator_sessions(&self) -> Result<Vec<OperatorSessionRecord>> {
        let sessions = self.store.operator_sessions(self.clock.now()).await?;
        Ok(sessions.into_iter().map(OperatorSessionRecord::of).collect())
    }

    /// Ends the session of an operator at once. The key that it was started with still works.
    pub async fn end_operator_session(&self, id: &SessionId) -> Result<EndedSession> {
        if !self.store.delete_operator_session(id).await? {
            return Err(OperatorError::not_found(format!(
                "there is no session `{id}` of an operator; `auris operator sessions list` lists them"
            )));
        }
        Ok(EndedSession { id: id.clone(), ended: true })
    }
}
