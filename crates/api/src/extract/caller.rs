//! The caller and the request id, which the middleware attached to the request.

use auris_domain::id::RequestId;
use auris_service::{Caller, ServiceError};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::error::HandlerError;

/// An authenticated caller and the id of this request.
pub(crate) struct Authenticated {
    pub(crate) caller: Caller,
    pub(crate) request_id: RequestId,
}

impl<S: Sync> FromRequestParts<S> for Authenticated {
    type Rejection = HandlerError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, HandlerError> {
        let caller = parts.extensions.get::<Caller>().cloned();
        let request_id = parts.extensions.get::<RequestId>().cloned();
        match (caller, request_id) {
            (Some(caller), Some(request_id)) => Ok(Self { caller, request_id }),
            _ => {
                Err(ServiceError::Internal("a route is missing the authentication middleware".into()).into())
            }
        }
    }
}
