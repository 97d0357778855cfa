//! The caller and the request's id, as the middleware left them.

use auris_domain::id::RequestId;
use auris_service::{Caller, ServiceError};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::error::Failure;

/// Somebody with a valid key, and which request of theirs this is.
pub(crate) struct Authenticated {
    pub(crate) caller: Caller,
    pub(crate) request_id: RequestId,
}

impl<S: Sync> FromRequestParts<S> for Authenticated {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let caller = parts.extensions.get::<Caller>().cloned();
        let request_id = parts.extensions.get::<RequestId>().cloned();
        match (caller, request_id) {
            (Some(caller), Some(request_id)) => Ok(Self { caller, request_id }),
            _ => Err(ServiceError::Internal("a route was mounted outside the gate".into()).into()),
        }
    }
}
