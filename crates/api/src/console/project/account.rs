//! `GET /console/v1/projects/{project}/account`: the plan, the balance and the usage of a project.

use auris_domain::money::Usd;
use auris_domain::wire::JsonText;
use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use serde::Serialize;

use crate::console::operator::{own_request, report};
use crate::console_parts::ConsoleState;
use crate::error::HandlerResult;
use crate::extract::Authenticated;
use crate::state::ApiState;
use crate::view;

/// Without days, usage of the last thirty days is reported.
const DEFAULT_SECONDS: i64 = 30 * 86_400;

#[derive(Serialize)]
struct AccountView {
    object: &'static str,
    project: String,
    plan: String,
    balance_usd: Option<Usd>,
    held_usd: Option<Usd>,
    usage: JsonText,
}

pub(in crate::console) async fn account(
    State(state): State<ApiState>,
    Extension(console): Extension<ConsoleState>,
    Authenticated { caller, .. }: Authenticated,
    RawQuery(query): RawQuery,
) -> HandlerResult {
    let name = &caller.project.name;
    let mut request = own_request(query.as_deref().unwrap_or_default(), name)?;
    if request.first_day.is_none() && request.last_day.is_none() {
        request.first_day = Some(state.service.clock().now().timestamp().plus_seconds(-DEFAULT_SECONDS));
    }
    let project = console.operator.read_project(name).await?;
    let account = AccountView {
        object: "account",
        project: project.name,
        plan: project.plan,
        balance_usd: project.balance_usd,
        held_usd: project.held_usd,
        usage: report(&console, &request).await?,
    };
    Ok(view::json(StatusCode::OK, JsonText::of(&account)))
}
