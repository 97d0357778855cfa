//! Paths and methods that are not there.

use auris_domain::error::{ApiError, ErrorCode};
use axum::http::{Method, Uri};
use axum::response::Response;

use crate::error::refusal;

pub(crate) async fn path(uri: Uri) -> Response {
    let message = format!("There is no `{}` here; `/docs` lists what there is.", shown(&uri));
    refusal(&ApiError::new(ErrorCode::UnknownPath, message))
}

pub(crate) async fn method(method: Method, uri: Uri) -> Response {
    let message = format!("`{}` cannot be called with {method}; `/docs` tells how.", shown(&uri));
    refusal(&ApiError::new(ErrorCode::MethodNotAllowed, message))
}

/// The path, cut to a length that a message bears.
fn shown(uri: &Uri) -> String {
    uri.path().chars().take(200).collect()
}
