//! Webhook endpoints with their health, and deliveries with their attempts.

use auris_domain::error::{ApiError, Checked, ErrorCode};
use auris_domain::id::{DeliveryId, EndpointId};
use auris_domain::request::console::{DeliveriesQuery, RotateRequest};
use auris_domain::wire::JsonText;
use auris_service::operator::{DeliveryQuery, DeliveryStatus, TestTarget};
use auris_service::webhooks::secrets::Previous;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Extension, Router};
use serde::Serialize;

use super::path::PathProject;
use crate::console_parts::ConsoleState;
use crate::error::HandlerResult;
use crate::extract::{PathId, SmallBody};
use crate::state::ApiState;
use crate::view;

/// The new secret of an endpoint.
#[derive(Serialize)]
struct SecretView<'a> {
    secret: &'a str,
}

/// The number of deliveries that are sent again.
#[derive(Serialize)]
struct ResentView {
    resent: u64,
}

/// The routes below a project, for operators and for project users.
pub(super) fn routes() -> Router<ApiState> {
    Router::new()
        .route("/webhooks", get(list))
        .route("/webhooks/{endpointId}/enable", post(enable))
        .route("/webhooks/{endpointId}/rotate", post(rotate))
        .route("/webhooks/{endpointId}/test", post(test))
        .route("/deliveries", get(deliveries))
        .route("/deliveries/resend_failed", post(resend_failed))
        .route("/deliveries/{deliveryId}", get(delivery))
        .route("/deliveries/{deliveryId}/resend", post(resend))
}

async fn list(
    Extension(console): Extension<ConsoleState>,
    PathProject(project): PathProject,
) -> HandlerResult {
    let endpoints = console.operator.list_endpoints(&project).await?;
    Ok(view::json(StatusCode::OK, view::list(&endpoints)))
}

async fn enable(
    Extension(console): Extension<ConsoleState>,
    PathProject(project): PathProject,
    PathId(id): PathId<EndpointId>,
) -> HandlerResult {
    console.operator.enable_endpoint(&project, &id).await?;
    let endpoints = console.operator.list_endpoints(&project).await?;
    let endpoint = endpoints.into_iter().find(|endpoint| endpoint.id == id);
    let endpoint = endpoint.ok_or_else(|| ApiError::new(ErrorCode::NotFound, "The endpoint was deleted."))?;
    Ok(view::json(StatusCode::OK, JsonText::of(&endpoint)))
}

async fn rotate(
    State(state): State<ApiState>,
    Extension(console): Extension<ConsoleState>,
    (PathProject(project), PathId(id)): (PathProject, PathId<EndpointId>),
    body: SmallBody,
) -> HandlerResult {
    let request = body.optional_json(RotateRequest::parse).await?;
    // The old secret signs for a day, or not at all.
    let previous = match request {
        Some(RotateRequest { grace_seconds: 0 }) => Previous::Dropped,
        Some(_) | None => Previous::SignsForADay,
    };
    let keys = state.service.master_keys();
    let secret = console.operator.rotate_endpoint_secret(&project, &id, previous, keys).await?;
    Ok(view::json(StatusCode::OK, JsonText::of(&SecretView { secret: &secret })))
}

async fn test(
    State(state): State<ApiState>,
    Extension(console): Extension<ConsoleState>,
    PathProject(project): PathProject,
    PathId(id): PathId<EndpointId>,
) -> HandlerResult {
    let target = TestTarget::Endpoint(id);
    let settings = &state.service.settings().webhooks;
    let result =
        console.operator.test_webhook(&project, target, settings, state.service.master_keys()).await?;
    Ok(view::json(StatusCode::OK, JsonText::of(&result)))
}

async fn deliveries(
    Extension(console): Extension<ConsoleState>,
    PathProject(project): PathProject,
    RawQuery(query): RawQuery,
) -> HandlerResult {
    let query = DeliveriesQuery::parse(query.as_deref().unwrap_or_default())?;
    let query = DeliveryQuery {
        status: query.status.as_deref().map(status).transpose()?,
        job: query.job,
        endpoint: query.endpoint,
        limit: query.limit,
        after: query.after,
    };
    let page = console.operator.list_deliveries(&project, query).await?;
    let last_id = page.deliveries.last().map(|delivery| delivery.id.as_str());
    Ok(view::json(StatusCode::OK, view::list_page(&page.deliveries, page.has_more, last_id)))
}

async fn delivery(
    Extension(console): Extension<ConsoleState>,
    PathProject(project): PathProject,
    PathId(id): PathId<DeliveryId>,
) -> HandlerResult {
    let delivery = console.operator.read_delivery(&project, &id).await?;
    Ok(view::json(StatusCode::OK, JsonText::of(&delivery)))
}

async fn resend(
    Extension(console): Extension<ConsoleState>,
    PathProject(project): PathProject,
    PathId(id): PathId<DeliveryId>,
) -> HandlerResult {
    console.operator.resend_deliveries(&project, std::slice::from_ref(&id)).await?;
    let delivery = console.operator.read_delivery(&project, &id).await?;
    Ok(view::json(StatusCode::OK, JsonText::of(&delivery)))
}

async fn resend_failed(
    Extension(console): Extension<ConsoleState>,
    PathProject(project): PathProject,
) -> HandlerResult {
    let resent = console.operator.resend_failed_deliveries(&project).await?;
    Ok(view::json(StatusCode::OK, JsonText::of(&ResentView { resent })))
}

fn status(text: &str) -> Checked<DeliveryStatus> {
    text.parse().map_err(|_| {
        let message = "`status` must be one of `pending`, `delivered`, `failed`.";
        ApiError::new(ErrorCode::InvalidValue, message).at("status")
    })
}
