//! Unknown paths, and known paths with a method that they do not support.

use auris_domain::error::{ApiError, ErrorCode};
use axum::http::{Method, Uri};
use axum::response::Response;

use crate::error::api_error;

/// Maximum characters of a path that an error message repeats.
const SHOWN_CHARACTERS: usize = 200;

pub(crate) async fn path(uri: Uri) -> Response {
    let message = format!("The path `{}` does not exist; `/docs` lists all paths.", shown(&uri));
    api_error(&ApiError::new(ErrorCode::UnknownPath, message))
}

pub(crate) async fn method(method: Method, uri: Uri) -> Response {
    let message = format!(
        "The path `{}` does not support {method}; `/docs` lists the methods of each path.",
        shown(&uri)
    );
    api_error(&ApiError::new(ErrorCode::MethodNotAllowed, message))
}

fn shown(uri: &Uri) -> String {
    uri.path().chars().take(SHOWN_CHARACTERS).collect()
}
