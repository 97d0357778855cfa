//! Callers: the project that a request is made for, and how the request was authenticated.

use std::fmt;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::{KeyId, OperatorKeyId, ProjectId, SessionId};
use auris_domain::project::{ApiKey, Project, Scope};

/// The project of a request, and what it was authenticated with.
#[derive(Debug, Clone)]
pub struct Caller {
    pub project: Project,
    pub access: Access,
}

/// What a request was authenticated with.
#[derive(Debug, Clone)]
pub enum Access {
    Key(ApiKey),
    /// A project user in the console, who may do what the key allows.
    UserSession {
        session: SessionId,
        key: ApiKey,
    },
    OperatorSession(SessionId),
    OperatorKey(OperatorKeyId),
    /// The service itself, which starts an analysis that was requested before.
    Service,
}

/// The id of a credential. Limits count for each credential, and streams end with theirs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CredentialId {
    Key(KeyId),
    Session(SessionId),
    OperatorKey(OperatorKeyId),
    Service,
}

impl Caller {
    pub fn project_id(&self) -> &ProjectId {
        &self.project.id
    }

    /// The credential whose end ends the caller's streams.
    pub fn credential(&self) -> CredentialId {
        self.access.credential()
    }

    /// The credential that requests are counted for. All sessions of a key share the key's limit.
    pub(super) fn counted(&self) -> CredentialId {
        match &self.access {
            Access::UserSession { key, .. } => CredentialId::Key(key.id.clone()),
            Access::Key(_) | Access::OperatorSession(_) | Access::OperatorKey(_) | Access::Service => {
                self.credential()
            }
        }
    }

    /// Refuses a key that lacks the scope of an operation. Operators may do everything.
    pub fn require(&self, scope: Scope) -> Result<(), ApiError> {
        let allowed = match &self.access {
            Access::Key(key) | Access::UserSession { key, .. } => key.allows(scope),
            Access::OperatorSession(_) | Access::OperatorKey(_) | Access::Service => true,
        };
        if allowed {
            return Ok(());
        }
        let message = format!("This key lacks the scope `{}`; use a key that has it.", scope.as_str());
        Err(ApiError::new(ErrorCode::InsufficientScope, message))
    }
}

impl Access {
    pub(super) fn credential(&self) -> CredentialId {
        match self {
            Self::Key(key) => CredentialId::Key(key.id.clone()),
            Self::UserSession { session, .. } | Self::OperatorSession(session) => {
                CredentialId::Session(session.clone())
            }
            Self::OperatorKey(key) => CredentialId::OperatorKey(key.clone()),
            Self::Service => CredentialId::Service,
        }
    }
}

impl CredentialId {
    pub fn as_str(&self) -> &str {
        match self {
            Self::Key(id) => id.as_str(),
            Self::Session(id) => id.as_str(),
            Self::OperatorKey(id) => id.as_str(),
            Self::Service => "service",
        }
    }
}

impl fmt::Display for CredentialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
