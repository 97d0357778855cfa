//! Watches the key of a stream that is open, so that the stream ends soon after the key.

use std::time::Duration;

use auris_domain::error::ApiError;

use super::caller::CredentialId;
use super::sessions::Visitor;
use crate::{Caller, Service};

/// A revoked key must stop working within five seconds, so an open stream checks its key this often.
pub(crate) const KEY_CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// The key or session that a stream was opened with.
#[derive(Clone)]
pub struct KeyWatch {
    service: Service,
    credential: CredentialId,
}

impl Service {
    pub fn watch_key(&self, caller: &Caller) -> KeyWatch {
        KeyWatch { service: self.clone(), credential: caller.credential() }
    }
}

impl Service {
    /// Watches the session or operator key of a visitor.
    pub fn watch_visitor(&self, visitor: &Visitor) -> KeyWatch {
        KeyWatch { service: self.clone(), credential: visitor.credential() }
    }
}

impl KeyWatch {
    /// Returns when the key was revoked or the session has ended, with the refusal. While the database cannot be reached,
    /// they count as valid.
    pub async fn ended(&self) -> ApiError {
        loop {
            tokio::time::sleep(KEY_CHECK_INTERVAL).await;
            match self.service.refusal_of(&self.credential).await {
                Ok(None) => {}
                Ok(Some(refusal)) => return refusal,
                Err(error) => tracing::debug!(%error, "cannot check the key of a stream now"),
            }
        }
    }
}
