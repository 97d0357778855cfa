//! Authentication: finds the project behind an API key, and refuses keys that are revoked or expired.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::{KeyId, ProjectId};
use auris_domain::project::{ApiKey, KeySecret, Project, Scope};
use auris_domain::time::{Timestamp, Uptime};

use crate::error::Outcome;
use crate::{Service, ServiceError};

/// The project and key behind a request.
#[derive(Debug, Clone)]
pub struct Caller {
    pub project: Project,
    pub key: ApiKey,
}

impl Caller {
    pub fn project_id(&self) -> &ProjectId {
        &self.project.id
    }

    pub fn key_id(&self) -> &KeyId {
        &self.key.id
    }

    /// Refuses a key that lacks the scope of an operation.
    pub fn require(&self, scope: Scope) -> Result<(), ApiError> {
        if self.key.allows(scope) {
            return Ok(());
        }
        let message = format!("This key lacks the scope `{}`; use a key that has it.", scope.as_str());
        Err(ApiError::new(ErrorCode::InsufficientScope, message))
    }
}

impl Service {
    /// The caller behind an `Authorization` header.
    pub async fn authenticate(&self, header: Option<&[u8]>) -> Outcome<Caller> {
        let secret = bearer(header)?;
        let uptime = self.clock().uptime();
        // The look-up is by the hash of the whole secret, so its duration reveals nothing about stored keys.
        let hash = secret.hash();
        let caller = match self.key_cache().caller(&hash, uptime) {
            Some(caller) => caller,
            None => self.look_up(&secret, hash, uptime).await?,
        };
        check_key(&caller.key, self.clock().now().timestamp())?;
        self.note_use(&caller.key.id, uptime);
        Ok(caller)
    }

    /// Why a key that was valid when a stream began is refused now; `None` while it is valid.
    pub(crate) async fn key_refusal(&self, id: &KeyId) -> Outcome<Option<ApiError>> {
        let uptime = self.clock().uptime();
        if self.key_cache().was_valid(id, uptime) {
            return Ok(None);
        }
        let Some(key) = self.store().key(id).await? else { return Ok(Some(invalid_key())) };
        let refusal = check_key(&key, self.clock().now().timestamp()).err();
        if refusal.is_none() {
            self.key_cache().remember_valid(id.clone(), uptime);
        }
        Ok(refusal)
    }

    async fn look_up(&self, secret: &KeySecret, hash: String, uptime: Uptime) -> Outcome<Caller> {
        let Some((key, project)) = self.store().find_key(secret).await? else {
            return Err(invalid_key().into());
        };
        let caller = Caller { project, key };
        self.key_cache().remember_caller(hash, uptime, caller.clone());
        Ok(caller)
    }

    /// Records when a key was last used: at most once a minute, and without delaying the request.
    fn note_use(&self, key: &KeyId, uptime: Uptime) {
        if !self.store().is_touch_due(key, uptime) {
            return;
        }
        let store = self.store().clone();
        let key = key.clone();
        let now = self.clock().now();
        tokio::spawn(async move {
            if let Err(error) = store.touch_key(&key, now).await {
                tracing::warn!(%error, "cannot record the use of a key now");
            }
        });
    }
}

fn bearer(header: Option<&[u8]>) -> Result<KeySecret, ServiceError> {
    let Some(header) = header else {
        return Err(missing_key().into());
    };
    let text = std::str::from_utf8(header).map_err(|_| invalid_key())?;
    let Some((scheme, token)) = text.trim().split_once(' ') else {
        return Err(missing_key().into());
    };
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(missing_key().into());
    }
    KeySecret::parse(token.trim()).ok_or_else(|| invalid_key().into())
}

fn check_key(key: &ApiKey, now: Timestamp) -> Result<(), ApiError> {
    if key.revoked_at.is_some() {
        return Err(ApiError::new(ErrorCode::RevokedApiKey, "This API key was revoked; use another."));
    }
    if key.is_expired(now) {
        return Err(ApiError::new(ErrorCode::ExpiredApiKey, "This API key has expired; use another."));
    }
    Ok(())
}

fn missing_key() -> ApiError {
    let message = "No API key was sent; send the header `Authorization: Bearer sk-…`.";
    ApiError::new(ErrorCode::MissingApiKey, message)
}

fn invalid_key() -> ApiError {
    let message =
        "The API key is not valid; check it for typing errors, or create one with `auris keys create`.";
    ApiError::new(ErrorCode::InvalidApiKey, message)
}
