//! `/operator/v1`: what operators see and do.

mod keys;
mod models;
mod operator_keys;
mod projects;
mod sessions;
mod system;
mod usage;

use axum::Router;
use axum::routing::{delete, get, post};

use super::webhooks;
use crate::state::ApiState;

pub(super) use usage::{own_request, report};

pub(super) fn routes() -> Router<ApiState> {
    Router::new()
        .route("/operator/v1/overview", get(system::overview))
        .route("/operator/v1/doctor", get(system::doctor))
        .route("/operator/v1/settings", get(system::settings))
        .route("/operator/v1/jobs", get(system::jobs))
        .route("/operator/v1/usage", get(usage::read))
        .route("/operator/v1/usage.csv", get(usage::csv))
        .route("/operator/v1/projects", get(projects::list).post(projects::create))
        .route("/operator/v1/projects/{project}", get(projects::read).patch(projects::change))
        .route("/operator/v1/projects/{project}/credit", post(projects::credit))
        .route("/operator/v1/projects/{project}/keys", get(keys::list).post(keys::create))
        .route("/operator/v1/projects/{project}/keys/{keyId}", delete(keys::revoke))
        .route("/operator/v1/projects/{project}/keys/{keyId}/rotate", post(keys::rotate))
        .nest("/operator/v1/projects/{project}", webhooks::routes())
        .route("/operator/v1/keys", get(operator_keys::list).post(operator_keys::create))
        .route("/operator/v1/keys/{operatorKeyId}", delete(operator_keys::revoke))
        .route("/operator/v1/sessions", get(sessions::list))
        .route("/operator/v1/sessions/{sessionId}", delete(sessions::end))
        .merge(models::routes())
}
