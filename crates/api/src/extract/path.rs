//! Ids in the path. An id with the wrong format is refused before any lookup.

use std::collections::HashMap;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::{
    ArtifactId, DeliveryId, EndpointId, InvalidId, JobId, KeyId, ModelTaskId, OperatorKeyId, SessionId,
    StepId,
};
use axum::extract::path::ErrorKind;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

use crate::error::HandlerError;

/// A valid id from the path.
pub(crate) struct PathId<T>(pub(crate) T);

/// An id type that occurs in paths.
pub(crate) trait InPath: Sized {
    /// The name of its path parameter.
    const NAME: &'static str;

    fn parse(text: &str) -> Result<Self, InvalidId>;
}

macro_rules! in_path {
    ($($id:ident = $name:literal,)*) => {$(
        impl InPath for $id {
            const NAME: &'static str = $name;

            fn parse(text: &str) -> Result<Self, InvalidId> {
                text.parse()
            }
        }
    )*};
}

in_path! {
    JobId = "jobId",
    StepId = "stepId",
    ArtifactId = "artifactId",
    EndpointId = "endpointId",
    KeyId = "keyId",
    OperatorKeyId = "operatorKeyId",
    SessionId = "sessionId",
    DeliveryId = "deliveryId",
    ModelTaskId = "taskId",
}

impl<T: InPath, S: Send + Sync> FromRequestParts<S> for PathId<T> {
    type Rejection = HandlerError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HandlerError> {
        let path = Path::<HashMap<String, String>>::from_request_parts(parts, state).await;
        let Path(mut values) = path.map_err(|rejection| unreadable(&rejection, T::NAME))?;
        // An empty text is not a valid id either.
        let text = values.remove(T::NAME).unwrap_or_default();
        let invalid = |error: InvalidId| {
            let message = format!("`{}` in the path is not valid: {error}.", T::NAME);
            ApiError::new(ErrorCode::InvalidId, message).at(T::NAME)
        };
        Ok(Self(T::parse(&text).map_err(invalid)?))
    }
}

/// If one parameter of the path is not UTF-8, none of them can be read. So the error names that one, not the parameter
/// that is being extracted.
fn unreadable(rejection: &PathRejection, extracted: &str) -> ApiError {
    let name = match rejection {
        PathRejection::FailedToDeserializePathParams(failure) => match failure.kind() {
            ErrorKind::InvalidUtf8InPathParam { key } => key.as_str(),
            // axum's enums are non-exhaustive.
            _ => extracted,
        },
        _ => extracted,
    };
    let message = format!("`{name}` in the path is not valid: it must be UTF-8.");
    ApiError::new(ErrorCode::InvalidId, message).at(name)
}
