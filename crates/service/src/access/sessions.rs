//! Who uses the console: the person behind a session cookie or an operator's key, and the projects that this person may
//! use.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::{OperatorKeyId, SessionId};
use auris_domain::project::{ApiKey, Project, Scope};
use auris_domain::secret::{OperatorKeySecret, SessionSecret};
use auris_domain::session::{OperatorKey, Session};
use auris_store::FoundSession;

use super::auth::check_key;
use super::caller::{Access, Caller, CredentialId};
use crate::Service;
use crate::error::Outcome;

/// Somebody who uses the console.
#[derive(Debug, Clone)]
pub enum Visitor {
    Operator {
        access: Access,
        /// `None` for a request with an operator's key.
        session: Option<Session>,
        /// `None` for a session that began with a link.
        key_name: Option<String>,
    },
    ProjectUser {
        session: Session,
        key: ApiKey,
        project: Project,
    },
}

impl Visitor {
    /// Refuses everybody but operators.
    pub fn require_operator(&self) -> Result<(), ApiError> {
        match self {
            Self::Operator { .. } => Ok(()),
            Self::ProjectUser { .. } => {
                let message = "Only operators may do this; sign in with an operator key or a link from `auris console`.";
                Err(ApiError::new(ErrorCode::OperatorOnly, message))
            }
        }
    }

    /// The credential whose end ends the visitor's streams.
    pub(super) fn credential(&self) -> CredentialId {
        match self {
            Self::Operator { access, .. } => access.credential(),
            Self::ProjectUser { session, .. } => CredentialId::Session(session.id.clone()),
        }
    }

    pub fn session(&self) -> Option<&Session> {
        match self {
            Self::Operator { session, .. } => session.as_ref(),
            Self::ProjectUser { session, .. } => Some(session),
        }
    }

    /// What the visitor may do in a project: what their key may do, and everything for an operator.
    pub fn scopes(&self) -> &[Scope] {
        match self {
            Self::Operator { .. } => &[Scope::Read, Scope::Write],
            Self::ProjectUser { key, .. } => &key.scopes,
        }
    }

    /// The name of the key that the visitor signed in with; `None` for a link.
    pub fn key_name(&self) -> Option<&str> {
        match self {
            Self::Operator { key_name, .. } => key_name.as_deref(),
            Self::ProjectUser { key, .. } => Some(&key.name),
        }
    }

    /// The project that the visitor belongs to; `None` for an operator.
    pub fn project(&self) -> Option<&Project> {
        match self {
            Self::Operator { .. } => None,
            Self::ProjectUser { project, .. } => Some(project),
        }
    }
}

impl Service {
    /// The visitor behind a session cookie.
    pub async fn visitor_with_session(&self, cookie: Option<&str>) -> Outcome<Visitor> {
        let Some(cookie) = cookie else { return Err(missing_session().into()) };
        let secret = SessionSecret::parse(cookie).ok_or_else(expired_session)?;
        let found = self.store().find_session(&secret, self.clock().now()).await?;
        let found = found.ok_or_else(expired_session)?;
        self.check_session(&found)?;
        Ok(visitor(found))
    }

    /// The operator behind an `Authorization` header. A wrong key counts as a failed sign-in of the client address, but it
    /// is answered with 401 even after too many of them.
    pub async fn visitor_with_key(&self, header: &[u8], client: &str) -> Outcome<Visitor> {
        let key = self.limited(client, self.operator_key_of(header)).await?;
        let key = key.map_err(|_| invalid_operator_key())?;
        self.store().touch_operator_key(&key.id, self.clock().now()).await?;
        Ok(Visitor::Operator { access: Access::OperatorKey(key.id), session: None, key_name: Some(key.name) })
    }

    async fn operator_key_of(&self, header: &[u8]) -> Outcome<Option<OperatorKey>> {
        let Some(secret) = bearer(header) else { return Ok(None) };
        self.valid_operator_key(&secret).await
    }

    /// The visitor as a caller of one project. A project user may use only their own.
    pub async fn caller_in_project(&self, visitor: &Visitor, name: &str) -> Outcome<Caller> {
        match visitor {
            Visitor::ProjectUser { session, key, project } if project.name == name => {
                let access = Access::UserSession { session: session.id.clone(), key: key.clone() };
                Ok(Caller { project: project.clone(), access })
            }
            Visitor::ProjectUser { .. } => Err(no_project(name).into()),
            Visitor::Operator { access, .. } => {
                let project = self.store().project_by_name(name).await?;
                let project = project.ok_or_else(|| no_project(name))?;
                Ok(Caller { project, access: access.clone() })
            }
        }
    }

    /// The names of the projects that the visitor may use.
    pub async fn projects_of(&self, visitor: &Visitor) -> Outcome<Vec<String>> {
        match visitor {
            Visitor::ProjectUser { project, .. } => Ok(vec![project.name.clone()]),
            Visitor::Operator { .. } => {
                Ok(self.store().projects().await?.into_iter().map(|project| project.name).collect())
            }
        }
    }

    /// Why a session that was valid when a stream began is refused now.
    pub(super) async fn session_refusal(&self, id: &SessionId) -> Outcome<Option<ApiError>> {
        let found = self.store().session(id, self.clock().now()).await?;
        Ok(found.map_or_else(|| Some(expired_session()), |found| self.check_session(&found).err()))
    }

    pub(super) async fn operator_key_refusal(&self, id: &OperatorKeyId) -> Outcome<Option<ApiError>> {
        let now = self.clock().now().timestamp();
        let keys = self.store().operator_keys().await?;
        let is_valid = keys.iter().any(|key| key.id == *id && key.is_valid(now));
        Ok((!is_valid).then(invalid_operator_key))
    }

    /// A session ends with its key.
    fn check_session(&self, found: &FoundSession) -> Result<(), ApiError> {
        let now = self.clock().now().timestamp();
        if found.session.is_expired(now) || found.operator_key_ended {
            return Err(expired_session());
        }
        match &found.user {
            Some((key, _)) => check_key(key, now).map_err(|_| expired_session()),
            None => Ok(()),
        }
    }
}

fn visitor(found: FoundSession) -> Visitor {
    let FoundSession { session, user, operator_key_name, .. } = found;
    match user {
        Some((key, project)) => Visitor::ProjectUser { session, key, project },
        None => Visitor::Operator {
            access: Access::OperatorSession(session.id.clone()),
            session: Some(session),
            key_name: operator_key_name,
        },
    }
}

fn bearer(header: &[u8]) -> Option<OperatorKeySecret> {
    let (scheme, token) = std::str::from_utf8(header).ok()?.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| OperatorKeySecret::parse(token.trim()))?
}

fn missing_session() -> ApiError {
    ApiError::new(ErrorCode::MissingSession, "You are not signed in; sign in first.")
}

fn expired_session() -> ApiError {
    ApiError::new(ErrorCode::ExpiredSession, "Your session has ended; sign in again.")
}

fn invalid_operator_key() -> ApiError {
    let message = "The operator key is not valid; create one with `auris operator keys create`.";
    ApiError::new(ErrorCode::InvalidOperatorKey, message)
}

fn no_project(name: &str) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("There is no project `{name}`.")).at("project")
}
