//! Finds out who uses the console, and lets a visitor into a project.

use std::collections::HashMap;

use auris_service::ServiceError;
use auris_service::access::Visitor;
use axum::extract::{Path, Request, State};
use axum::http::{Extensions, HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;

use super::{browser, cookie};
use crate::client_address::ClientAddress;
use crate::end_signal::end_with_key;
use crate::error::{api_error, service_error};
use crate::middleware::authenticate::admit;
use crate::state::ApiState;
use crate::view;

/// Runs the handler for anybody who is signed in. An operator's key is a sign-in for one request.
pub(super) async fn authenticate_visitor(
    State(state): State<ApiState>,
    request: Request,
    next: Next,
) -> Response {
    match visitor(&state, request.headers(), request.extensions()).await {
        Ok(visitor) => run_for(&state, visitor, request, next).await,
        Err(error) => service_error(error),
    }
}

/// Runs the handler for an operator.
pub(super) async fn authenticate_operator(
    State(state): State<ApiState>,
    request: Request,
    next: Next,
) -> Response {
    let visitor = match visitor(&state, request.headers(), request.extensions()).await {
        Ok(visitor) => visitor,
        Err(error) => return service_error(error),
    };
    if let Err(error) = visitor.require_operator() {
        return api_error(&error);
    }
    run_for(&state, visitor, request, next).await
}

/// Runs the handler. A long response ends with the visitor's session or key.
async fn run_for(state: &ApiState, visitor: Visitor, mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(visitor.clone());
    let mut response = view::for_visitor(next.run(request).await);
    end_with_key(&mut response, || state.service.watch_visitor(&visitor));
    response
}

async fn visitor(
    state: &ApiState,
    headers: &HeaderMap,
    extensions: &Extensions,
) -> Result<Visitor, ServiceError> {
    match headers.get(header::AUTHORIZATION) {
        Some(header) => {
            let client = extensions.get().copied().unwrap_or(ClientAddress(None));
            state.service.visitor_with_key(header.as_bytes(), &client.name()).await
        }
        None => {
            let is_https = browser::is_https(extensions, headers);
            state.service.visitor_with_session(cookie::read(headers, is_https)).await
        }
    }
}

/// Runs the handler with the visitor as a caller of the project in the path.
pub(super) async fn enter_project(
    State(state): State<ApiState>,
    Path(path): Path<HashMap<String, String>>,
    request: Request,
    next: Next,
) -> Response {
    let Some(visitor) = request.extensions().get::<Visitor>().cloned() else {
        let cause = "a route is missing the authentication middleware".into();
        return service_error(ServiceError::Internal(cause));
    };
    let project = path.get("project").map_or("", String::as_str);
    match state.service.caller_in_project(&visitor, project).await {
        Ok(caller) => admit(&state, caller, request, next).await,
        Err(error) => service_error(error),
    }
}
