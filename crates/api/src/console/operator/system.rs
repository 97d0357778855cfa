//! The state of the installation: overview, doctor, settings, and the jobs of all projects.

use auris_domain::request::AllJobsQuery;
use auris_domain::wire::JsonText;
use auris_service::operator::doctor::Report;
use axum::Extension;
use axum::extract::RawQuery;
use axum::http::StatusCode;
use serde::Serialize;

use crate::console_parts::{ConsoleState, Setting};
use crate::error::HandlerResult;
use crate::view;

#[derive(Serialize)]
struct ReportView<'a> {
    object: &'static str,
    #[serde(flatten)]
    report: &'a Report,
}

#[derive(Serialize)]
struct SettingsView<'a> {
    object: &'static str,
    data: &'a [Setting],
}

pub(super) async fn overview(Extension(console): Extension<ConsoleState>) -> HandlerResult {
    let overview = console.operator.overview(&console.overview).await?;
    Ok(view::json(StatusCode::OK, JsonText::of(&overview)))
}

pub(super) async fn doctor(Extension(console): Extension<ConsoleState>) -> HandlerResult {
    let report = (console.examine)().await;
    Ok(view::json(StatusCode::OK, JsonText::of(&ReportView { object: "report", report: &report })))
}

pub(super) async fn settings(Extension(console): Extension<ConsoleState>) -> HandlerResult {
    let settings = SettingsView { object: "settings", data: &console.settings };
    Ok(view::json(StatusCode::OK, JsonText::of(&settings)))
}

pub(super) async fn jobs(
    Extension(console): Extension<ConsoleState>,
    RawQuery(query): RawQuery,
) -> HandlerResult {
    let query = AllJobsQuery::parse(query.as_deref().unwrap_or_default())?;
    Ok(view::json(StatusCode::OK, console.operator.list_all_jobs(query).await?))
}
