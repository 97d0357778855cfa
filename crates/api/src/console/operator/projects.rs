//! `/operator/v1/projects`.

use auris_domain::request::console::{CreditRequest, LimitRequest, ProjectChanges, ProjectRequest};
use auris_domain::wire::JsonText;
use auris_service::operator::{BalanceChange, LimitChange, LimitChanges, NewProject, ProjectRecord};
use axum::Extension;
use axum::http::StatusCode;
use serde::Serialize;

use crate::console::path::PathProject;
use crate::console_parts::ConsoleState;
use crate::error::HandlerResult;
use crate::extract::SmallBody;
use crate::view;

#[derive(Serialize)]
struct ProjectList<'a> {
    object: &'static str,
    data: &'a [ProjectRecord],
    /// The plans of the catalogue, the lowest first.
    plans: &'a [String],
}

pub(super) async fn list(Extension(console): Extension<ConsoleState>) -> HandlerResult {
    let data = console.operator.list_projects().await?;
    let models = console.models();
    let list = ProjectList { object: "list", data: &data, plans: models.plans() };
    Ok(view::json(StatusCode::OK, JsonText::of(&list)))
}

pub(super) async fn create(Extension(console): Extension<ConsoleState>, body: SmallBody) -> HandlerResult {
    let request = body.json(ProjectRequest::parse).await?;
    let new = NewProject {
        name: request.name,
        plan: request.plan,
        credit: request.credit_usd,
        limits: limits(request.requests_per_minute, request.concurrent_transcriptions),
    };
    let created = console.operator.create_project(new, console.models().plans()).await;
    let project = created.map_err(|error| error.at("name"))?;
    Ok(view::json(StatusCode::CREATED, JsonText::of(&project)))
}

pub(super) async fn read(
    Extension(console): Extension<ConsoleState>,
    PathProject(project): PathProject,
) -> HandlerResult {
    let project = console.operator.read_project(&project).await?;
    Ok(view::json(StatusCode::OK, JsonText::of(&project)))
}

pub(super) async fn change(
    Extension(console): Extension<ConsoleState>,
    PathProject(project): PathProject,
    body: SmallBody,
) -> HandlerResult {
    let changes = body.json(ProjectChanges::parse).await?;
    if let Some(plan) = &changes.plan {
        console.operator.set_plan(&project, plan, console.models().plans()).await?;
    }
    let limits = limits(changes.requests_per_minute, changes.concurrent_transcriptions);
    let changed = console.operator.set_limits(&project, limits).await?;
    Ok(view::json(StatusCode::OK, JsonText::of(&changed)))
}

pub(super) async fn credit(
    Extension(console): Extension<ConsoleState>,
    PathProject(project): PathProject,
    body: SmallBody,
) -> HandlerResult {
    let change = match body.json(CreditRequest::parse).await? {
        CreditRequest::Add(amount) => BalanceChange::Add(amount),
        CreditRequest::Remove => BalanceChange::Remove,
    };
    console.operator.change_balance(&project, change).await.map_err(|error| error.at("add_usd"))?;
    let changed = console.operator.read_project(&project).await?;
    Ok(view::json(StatusCode::OK, JsonText::of(&changed)))
}

fn limits(requests: LimitRequest, transcriptions: LimitRequest) -> LimitChanges {
    let change = |limit: LimitRequest| match limit {
        LimitRequest::Keep => LimitChange::Keep,
        LimitRequest::Default => LimitChange::UseDefault,
        LimitRequest::Set(number) => LimitChange::Set(number),
    };
    LimitChanges { requests_per_minute: change(requests), concurrent_transcriptions: change(transcriptions) }
}
