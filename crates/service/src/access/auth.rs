//! Authentication: finds the project behind an API key, and refuses keys that are revoked or expired.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::KeyId;
use auris_domain::project::{ApiKey, KeySecret};
use auris_domain::time::{Timestamp, Uptime};

use super::caller::{Access, Caller, CredentialId};
use crate::error::Outcome;
use crate::{Service, ServiceError};

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
        if let Access::Key(key) = &caller.access {
            check_key(key, self.clock().now().timestamp())?;
            self.note_use(&key.id, uptime);
        }
        Ok(caller)
    }

    /// Why a credential that was valid when a stream began is refused now; `None` while it is valid.
    pub(crate) async fn refusal_of(&self, credential: &CredentialId) -> Outcome<Option<ApiError>> {
        let uptime = self.clock().uptime();
        if self.key_cache().was_valid(credential, uptime) {
            return Ok(None);
        }
        let refusal = match credential {
            CredentialId::Key(id) => self.key_refusal(id).await?,
            CredentialId::Session(id) => self.session_refusal(id).await?,
            CredentialId::OperatorKey(id) => self.operator_key_refusal(id).await?,
            CredentialId::Service => None,
        };
        if refusal.is_none() {
            self.key_cache().remember_valid(credential.clone(), uptime);
        }
        Ok(refusal)
    }

    async fn key_refusal(&self, id: &KeyId) -> Outcome<Option<ApiError>> {
        let Some(key) = self.store().key(id).await? else { return Ok(Some(invalid_key())) };
        Ok(check_key(&key, self.clock().now().timestamp()).err())
    }

    async fn look_up(&self, secret: &KeySecret, hash: String, uptime: Uptime) -> Outcome<Caller> {
        let Some((key, project)) = self.store().find_key(secret).await? else {
            return Err(invalid_key().into());
        };
        let caller = Caller { project, access: Access::Key(key) };
        self.key_cache().remember_caller(hash, uptime, caller.clone());
        Ok(caller)
    }

    /// Records when a key was last used: at most once a minute, and without delaying the request.
    pub(super) fn note_use(&self, key: &KeyId, uptime: Uptime) {
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

pub(super) fn check_key(key: &ApiKey, now: Timestamp) -> Result<(), ApiError> {
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
