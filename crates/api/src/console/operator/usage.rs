//! `/operator/v1/usage`, as JSON and as CSV.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::request::console::UsageQuery;
use auris_domain::usage::UsageBy;
use auris_domain::wire::JsonText;
use auris_service::operator::{UsageGroup, UsageReport, UsageRequest};
use axum::Extension;
use axum::extract::RawQuery;
use axum::http::StatusCode;
use serde::Serialize;

use crate::console_parts::ConsoleState;
use crate::error::HandlerResult;
use crate::view;

const UNITS: [&str; 6] =
    ["requests", "audio_seconds", "input_tokens", "output_tokens", "characters", "cost_usd"];

#[derive(Serialize)]
struct UsageView<'a> {
    object: &'static str,
    groups: &'a [UsageGroup],
    total: &'a UsageGroup,
}

pub(super) async fn read(
    Extension(console): Extension<ConsoleState>,
    RawQuery(query): RawQuery,
) -> HandlerResult {
    let request = request(UsageQuery::parse(query.as_deref().unwrap_or_default())?);
    Ok(view::json(StatusCode::OK, report(&console, &request).await?))
}

pub(super) async fn csv(
    Extension(console): Extension<ConsoleState>,
    RawQuery(query): RawQuery,
) -> HandlerResult {
    let request = request(UsageQuery::parse(query.as_deref().unwrap_or_default())?);
    let report = console.operator.report_usage(&request).await?;
    let text = table(&request.by, &report).map_err(auris_service::ServiceError::internal)?;
    Ok(view::attachment("text/csv; charset=utf-8", "usage.csv", text))
}

/// The report as the console shows it.
pub(in crate::console) async fn report(
    console: &ConsoleState,
    request: &UsageRequest,
) -> Result<JsonText, crate::error::HandlerError> {
    let report = console.operator.report_usage(request).await?;
    Ok(JsonText::of(&UsageView { object: "usage", groups: &report.groups, total: &report.total }))
}

/// The report that a query asks for.
pub(in crate::console) fn request(query: UsageQuery) -> UsageRequest {
    UsageRequest {
        project: query.project,
        first_day: query.first_day,
        last_day: query.last_day,
        by: query.by,
    }
}

/// The report of one project, for a query that must not name another.
pub(in crate::console) fn own_request(query: &str, project: &str) -> Result<UsageRequest, ApiError> {
    let query = UsageQuery::parse(query)?;
    if query.project.is_some() {
        let message = "`project` is not a parameter of this request; the path names the project.";
        return Err(ApiError::new(ErrorCode::UnknownParameter, message).at("project"));
    }
    Ok(UsageRequest { project: Some(project.to_owned()), ..request(query) })
}

fn table(by: &[UsageBy], report: &UsageReport) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(by.iter().map(|by| by.as_str()).chain(UNITS))?;
    for group in &report.groups {
        let names = group.names.iter().map(|(_, name)| plain(name));
        writer.write_record(names.chain(units(group)))?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// A name that a spreadsheet does not take for a formula.
fn plain(name: &str) -> String {
    match name.starts_with(['=', '+', '-', '@']) {
        true => format!("'{name}"),
        false => name.to_owned(),
    }
}

fn units(group: &UsageGroup) -> [String; 6] {
    let usage = &group.usage;
    [
        group.requests.to_string(),
        usage.audio_seconds.to_string(),
        usage.input_tokens.to_string(),
        usage.output_tokens.to_string(),
        usage.characters.to_string(),
        usage.cost_usd.to_string(),
    ]
}
