//! `/console/v1/session`: who is signed in; and the projects of a visitor.

use auris_domain::limits;
use auris_domain::project::Scope;
use auris_domain::request::console::SignInRequest;
use auris_domain::session::Session;
use auris_domain::time::Timestamp;
use auris_domain::wire::JsonText;
use auris_service::access::{Credentials, Visitor};
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;

use super::browser::Browser;
use super::cookie;
use crate::client_address::ClientAddress;
use crate::error::HandlerResult;
use crate::extract::SmallBody;
use crate::state::ApiState;
use crate::view;

/// A session as the pages see it.
#[derive(Serialize)]
struct SessionView<'a> {
    object: &'static str,
    id: Option<&'a str>,
    role: &'static str,
    project: Option<&'a str>,
    key_name: Option<&'a str>,
    scopes: &'a [Scope],
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

/// A project of a visitor.
#[derive(Serialize)]
struct ProjectView<'a> {
    name: &'a str,
}

pub(super) async fn create(
    State(state): State<ApiState>,
    Extension(client): Extension<ClientAddress>,
    browser: Browser,
    body: SmallBody,
) -> HandlerResult {
    let credentials = match body.json(SignInRequest::parse).await? {
        SignInRequest::Key(key) => Credentials::Key(key),
        SignInRequest::Link(link) => Credentials::Link(link),
    };
    let signed_in = state.service.sign_in(credentials, &client.name()).await?;
    let set_cookie = cookie::set(&signed_in.secret, browser.is_https);
    let response = view::json(StatusCode::CREATED, session_view(&signed_in.visitor, browser));
    Ok(view::for_visitor(view::with_cookie(response, &set_cookie)))
}

pub(super) async fn read(Extension(visitor): Extension<Visitor>, browser: Browser) -> HandlerResult {
    Ok(view::json(StatusCode::OK, session_view(&visitor, browser)))
}

pub(super) async fn delete(
    State(state): State<ApiState>,
    Extension(visitor): Extension<Visitor>,
    browser: Browser,
) -> HandlerResult {
    state.service.sign_out(&visitor).await?;
    Ok(view::with_cookie(view::deleted(), &cookie::clear(browser.is_https)))
}

pub(super) async fn projects(
    State(state): State<ApiState>,
    Extension(visitor): Extension<Visitor>,
) -> HandlerResult {
    let names = state.service.projects_of(&visitor).await?;
    let projects: Vec<_> = names.iter().map(|name| ProjectView { name }).collect();
    Ok(view::json(StatusCode::OK, view::list(&projects)))
}

fn session_view(visitor: &Visitor, browser: Browser) -> JsonText {
    let session = visitor.session();
    JsonText::of(&SessionView {
        object: "session",
        id: session.map(|session| session.id.as_str()),
        role: match visitor {
            Visitor::Operator { .. } => "operator",
            Visitor::ProjectUser { .. } => "project",
        },
        project: visitor.project().map(|project| project.name.as_str()),
        key_name: visitor.key_name(),
        scopes: visitor.scopes(),
        created_at: session.map(|session| session.created_at),
        expires_at: session.map(|Session { expires_at, .. }| *expires_at),
        server: ServerView {
            version: env!("CARGO_PKG_VERSION"),
            max_upload_bytes: limits::ASYNC_FILE_BYTES,
            max_sync_upload_bytes: limits::SYNC_FILE_BYTES,
            api_url: browser.api_url,
        },
    })
}
