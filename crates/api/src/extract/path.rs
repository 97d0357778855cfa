//! Ids in the path: one that breaks its pattern is refused before anything is looked up.

use std::collections::HashMap;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::{ArtifactId, EndpointId, InvalidId, JobId, StepId};
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

use crate::error::Failure;

/// A checked id from the path.
pub(crate) struct PathId<T>(pub(crate) T);

/// An id that has a place in paths, under this name.
pub(crate) trait InPath: Sized {
    const NAME: &'static str;

    fn read(text: &str) -> Result<Self, InvalidId>;
}

macro_rules! in_path {
    ($($id:ident = $name:literal,)*) => {$(
        impl InPath for $id {
            const NAME: &'static str = $name;

            fn read(text: &str) -> Result<Self, InvalidId> {
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
}

impl<T: InPath, S: Send + Sync> FromRequestParts<S> for PathId<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let read = Path::<HashMap<String, String>>::from_request_parts(parts, state).await;
        // Bytes that are no UTF-8 are no id either.
        let text = read.ok().and_then(|Path(mut values)| values.remove(T::NAME)).unwrap_or_default();
        let invalid = |error: InvalidId| {
            let message = format!("`{}` in the path is not valid: {error}.", T::NAME);
            ApiError::new(ErrorCode::InvalidId, message).at(T::NAME)
        };
        Ok(Self(T::read(&text).map_err(invalid)?))
    }
}
