//! Signing in to the console, with an API key, an operator's key or a link, and signing out.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::SessionId;
use auris_domain::secret::{KeySecret, LinkSecret, OperatorKeySecret, SessionSecret};
use auris_domain::session::{OperatorKey, SESSION_SECONDS, Session, SessionOwner};

use super::auth::check_key;
use super::sessions::Visitor;
use crate::Service;
use crate::error::Outcome;

/// What somebody signs in with.
pub enum Credentials {
    /// An API key or an operator's key.
    Key(String),
    /// The secret of a link.
    Link(String),
}

/// A new session, with the secret for its cookie.
pub struct SignIn {
    pub visitor: Visitor,
    pub secret: SessionSecret,
}

impl Service {
    /// Begins a new session. Failed attempts are limited for each client address, and for all together; a valid key or
    /// link is always accepted.
    pub async fn sign_in(&self, credentials: Credentials, client: &str) -> Outcome<SignIn> {
        let owner = self.limited(client, self.owner_of(&credentials)).await?;
        let owner = owner.map_err(|limit| limit.unwrap_or_else(|| refused(&credentials)))?;
        let now = self.clock().now();
        match &owner {
            SessionOwner::OperatorWithKey(key) => self.store().touch_operator_key(key, now).await?,
            SessionOwner::ProjectUser(key) => self.note_use(key, self.clock().uptime()),
            SessionOwner::OperatorWithLink => {}
        }
        let session = Session {
            id: SessionId::generate(now),
            owner,
            created_at: now.timestamp(),
            expires_at: now.timestamp().plus_seconds(SESSION_SECONDS),
        };
        let secret = SessionSecret::generate();
        self.store().create_session(&session, &secret, now).await?;
        let visitor = self.visitor_with_session(Some(secret.reveal())).await?;
        Ok(SignIn { visitor, secret })
    }

    /// Ends a session.
    pub async fn sign_out(&self, visitor: &Visitor) -> Outcome<()> {
        if let Some(session) = visitor.session() {
            self.store().delete_session(&session.id).await?;
        }
        Ok(())
    }

    /// Checks a secret of a client: `check` finds its owner. `Err` if it has none, which counts as a failure of the client
    /// address. After too many failures, the check waits for its turn, and `Err` has the refusal for that.
    pub(super) async fn limited<T>(
        &self,
        client: &str,
        check: impl Future<Output = Outcome<Option<T>>>,
    ) -> Outcome<Result<T, Option<ApiError>>> {
        let uptime = self.clock().uptime();
        let limited = self.sign_in_limit().limited_attempt(client, uptime).await;
        if let Some(found) = check.await? {
            return Ok(Ok(found));
        }
        if limited.is_none() {
            self.sign_in_limit().record_failure(client, uptime);
        }
        Ok(Err(limited.map(|attempt| attempt.refusal)))
    }

    /// The key of an operator, unless it was revoked or has expired.
    pub(super) async fn valid_operator_key(
        &self,
        secret: &OperatorKeySecret,
    ) -> Outcome<Option<OperatorKey>> {
        let key = self.store().find_operator_key(secret).await?;
        let now = self.clock().now().timestamp();
        Ok(key.filter(|key| key.is_valid(now)))
    }

    async fn owner_of(&self, credentials: &Credentials) -> Outcome<Option<SessionOwner>> {
        let now = self.clock().now();
        match credentials {
            Credentials::Link(text) => {
                let Some(link) = LinkSecret::parse(text) else { return Ok(None) };
                Ok(self.store().use_link(&link, now).await?.then_some(SessionOwner::OperatorWithLink))
            }
            Credentials::Key(text) => {
                if let Some(secret) = OperatorKeySecret::parse(text) {
                    let key = self.valid_operator_key(&secret).await?;
                    return Ok(key.map(|key| SessionOwner::OperatorWithKey(key.id)));
                }
                let Some(secret) = KeySecret::parse(text) else { return Ok(None) };
                let found = self.store().find_key(&secret).await?;
                let key = found.map(|(key, _)| key).filter(|key| check_key(key, now.timestamp()).is_ok());
                Ok(key.map(|key| SessionOwner::ProjectUser(key.id)))
            }
        }
    }
}

fn refused(credentials: &Credentials) -> ApiError {
    let (message, param) = match credentials {
        Credentials::Key(_) => {
            ("The key is not valid; check it for typing errors, or use another one.", "key")
        }
        Credentials::Link(_) => {
            ("The link was used before or has expired; get a new one with `auris console`.", "link")
        }
    };
    ApiError::new(ErrorCode::InvalidSignIn, message).at(param)
}
