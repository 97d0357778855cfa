//! Who calls: API keys looked up by their hash, remembered for a moment, refused once revoked or expired.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::{KeyId, ProjectId};
use auris_domain::project::{ApiKey, KeySecret, Project, Scope};
use auris_domain::time::{Millis, Timestamp};

use crate::error::Outcome;
use crate::{Service, ServiceError};

/// A revoked key must stop working within five seconds, so it is never trusted longer than this.
const TRUST_MS: i64 = 2_000;
const MOST_REMEMBERED: usize = 10_000;
/// How long one look at a key counts for all streams that it opened.
const SEEN: Duration = Duration::from_millis(1_500);

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

    /// Refuses a key without the right to do the operation.
    pub fn require(&self, scope: Scope) -> Result<(), ApiError> {
        if self.key.allows(scope) {
            return Ok(());
        }
        let message = format!("This key lacks the scope `{}`; use one that has it.", scope.as_str());
        Err(ApiError::new(ErrorCode::InsufficientScope, message))
    }
}

#[derive(Default)]
pub(crate) struct KeyCache(Mutex<HashMap<String, (Millis, Caller)>>, Mutex<HashMap<KeyId, Instant>>);

impl KeyCache {
    /// Ten thousand streams of one key look at it once.
    fn was_seen_to_work(&self, id: &KeyId) -> bool {
        let seen = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        seen.get(id).is_some_and(|seen| seen.elapsed() < SEEN)
    }

    fn works(&self, id: KeyId) {
        let mut seen = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MOST_REMEMBERED {
            seen.retain(|_, seen| seen.elapsed() < SEEN);
        }
        seen.insert(id, Instant::now());
    }

    fn get(&self, hash: &str, now: Millis) -> Option<Caller> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries
            .get(hash)
            .filter(|(read_at, _)| now.since(*read_at) < TRUST_MS)
            .map(|(_, caller)| caller.clone())
    }

    fn put(&self, hash: String, now: Millis, caller: Caller) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= MOST_REMEMBERED {
            entries.retain(|_, (read_at, _)| now.since(*read_at) < TRUST_MS);
        }
        entries.insert(hash, (now, caller));
    }
}

impl Service {
    /// The caller behind an `Authorization` header.
    pub async fn authenticate(&self, header: Option<&[u8]>) -> Outcome<Caller> {
        let secret = bearer(header)?;
        let now = self.clock.now();
        // The look-up is by hash of the whole secret, so its time tells nothing about a stored key.
        let hash = secret.hash();
        let caller = match self.keys.get(&hash, now) {
            Some(caller) => caller,
            None => self.look_up(&secret, hash, now).await?,
        };
        check_key(&caller.key, now.timestamp())?;
        self.note_use(&caller.key.id, now);
        Ok(caller)
    }

    /// Whether a key that was good when a stream began is good now.
    pub(crate) async fn key_still_works(&self, id: &KeyId) -> Outcome<bool> {
        if self.keys.was_seen_to_work(id) {
            return Ok(true);
        }
        let key = self.store.key(id).await?;
        let works = key.is_some_and(|key| check_key(&key, self.clock.now().timestamp()).is_ok());
        if works {
            self.keys.works(id.clone());
        }
        Ok(works)
    }

    async fn look_up(&self, secret: &KeySecret, hash: String, now: Millis) -> Outcome<Caller> {
        let Some((key, project)) = self.store.find_key(secret).await? else {
            return Err(invalid_key().into());
        };
        let caller = Caller { project, key };
        self.keys.put(hash, now, caller.clone());
        Ok(caller)
    }

    /// When a key was last used is written once a minute at most, and nobody waits for it.
    fn note_use(&self, key: &KeyId, now: Millis) {
        if !self.store.is_touch_due(key, now) {
            return;
        }
        let (store, key) = (self.store.clone(), key.clone());
        tokio::spawn(async move {
            if let Err(error) = store.touch_key(&key, now).await {
                tracing::warn!(%error, "cannot note the use of a key now");
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
        "The API key is not valid; check it for typing errors, or make one with `auris keys create`.";
    ApiError::new(ErrorCode::InvalidApiKey, message)
}
