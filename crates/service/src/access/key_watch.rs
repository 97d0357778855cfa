//! Watches the key of a stream that is open, so that the stream ends soon after the key.

use std::time::Duration;

use auris_domain::error::ApiError;
use auris_domain::id::KeyId;

use crate::{Caller, Service};

/// A revoked key must stop working within five seconds, so an open stream checks its key this often.
pub(crate) const KEY_CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// The key that a stream was opened with.
#[derive(Clone)]
pub struct KeyWatch {
    service: Service,
    key: KeyId,
}

impl Service {
    pub fn watch_key(&self, caller: &Caller) -> KeyWatch {
        KeyWatch { service: self.clone(), key: caller.key_id().clone() }
    }
}

impl KeyWatch {
    /// Returns when the key was revoked or has expired, with the refusal. While the database cannot be reached, the key
    /// counts as valid.
    pub async fn ended(&self) -> ApiError {
        loop {
            tokio::time::sleep(KEY_CHECK_INTERVAL).await;
            match self.service.key_refusal(&self.key).await {
                Ok(None) => {}
                Ok(Some(refusal)) => return refusal,
                Err(error) => tracing::debug!(%error, "cannot check the key of a stream now"),
            }
        }
    }
}
