//! `/console/v1/session`: who is signed in; and the projects of a visitor.

use auris_domain::limits;
use auris_domain::request::console::SignInRequest;
use auris_domain::session::Session;
use auris_domain::time::Timestamp;
use auris_domain::wire::JsonText;
use auris_service::access::{Credentials, Visitor};
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde::Serialize;

use super::api_url::ApiUrl;
use super::cookie;
use crate::client_address::ClientAddress;
use crate::console_parts::ConsoleState;
use crate::error::HandlerResult;
use crate::extract::small_json;
use crate::state::ApiState;
use crate::view;

/// A session as the pages see it.
#[derive(Serialize)]
struct SessionView<'a> {
    object: &'static str,
    id: Option<&'a str>,
    role: &'static str,
    project: Option<&'a str>,
    created_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
    server: ServerView,
}

#[derive(Serialize)]
struct ServerView {
    version: &'static str,
    max_upload_bytes: u64,
    max_sync_upload_bytes: u64,
    api_url: Option<String>,
}

pub(super) async fn create(
    State(state): State<ApiState>,
    Extension(console): Extension<ConsoleState>,
    Extension(client): Extension<ClientAddress>,
    api_url: ApiUrl,
    headers: HeaderMap,
    body: Body,
) -> HandlerResult {
    let request = small_json(&state, &headers, body, SignInRequest::parse).await?;
    let credentials = match request {
        SignInRequest::Key(key) => Credentials::Key(key),
        SignInRequest::Link(link) => Credentials::Link(link),
    };
    let signed_in = state.service.sign_in(credentials, &client.name()).await?;
    let is_https = console.is_https || cookie::is_https(&headers);
    let response = view::json(StatusCode::CREATED, session_view(&signed_in.visitor, api_url));
    Ok(view::with_cookie(response, &cookie::set(&signed_in.secret, is_https)))
}

pub(super) async fn read(Extension(visitor): Extension<Visitor>, api_url: ApiUrl) -> HandlerResult {
    Ok(view::no_store(view::json(StatusCode::OK, session_view(&visitor, api_url))))
}

pub(super) async fn delete(
    State(state): State<ApiState>,
    Extension(console): Extension<ConsoleState>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
) -> HandlerResult {
    state.service.sign_out(&visitor).await?;
    let is_https = console.is_https || cookie::is_https(&headers);
    Ok(view::with_cookie(view::deleted(), &cookie::clear(is_https)))
}

pub(super) async fn projects(
    State(state): State<ApiState>,
    Extension(visitor): Extension<Visitor>,
) -> HandlerResult {
    let names = state.service.projects_of(&visitor).await?;
    let projects: Vec<_> = names.iter().map(|name| serde_json::json!({ "name": name })).collect();
    Ok(view::json(StatusCode::OK, view::list(&projects)))
}

fn session_view(visitor: &Visitor, ApiUrl(api_url): ApiUrl) -> JsonText {
    let session = visitor.session();
    JsonText::of(&SessionView {
        object: "session",
        id: session.map(|session| session.id.as_str()),
        role: match visitor {
            Visitor::Operator { .. } => "operator",
            Visitor::ProjectUser { .. } => "project",
        },
        project: visitor.project().map(|project| project.name.as_str()),
        created_at: session.map(|session| session.created_at),
        expires_at: session.map(|Session { expires_at, .. }| *expires_at),
        server: ServerView {
            version: env!("CARGO_PKG_VERSION"),
            max_upload_bytes: limits::ASYNC_FILE_BYTES,
            max_sync_upload_bytes: limits::SYNC_FILE_BYTES,
            api_url,
        },
    })
}
