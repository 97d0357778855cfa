//! `auris projects usage`: usage and cost by day, model and project.

use anyhow::Context;
use auris_domain::time::Timestamp;
use auris_domain::usage::UsageBy;
use auris_service::operator::{UsageGroup, UsageReport, UsageRequest};

use super::listing::{Cell, Listing};
use crate::cli::Shape;

const UNITS: [&str; 6] =
    ["REQUESTS", "AUDIO_SECONDS", "INPUT_TOKENS", "OUTPUT_TOKENS", "CHARACTERS", "COST_USD"];

pub(super) fn request(
    project: Option<String>,
    since: Option<&str>,
    until: Option<&str>,
    by: Vec<UsageBy>,
) -> anyhow::Result<UsageRequest> {
    Ok(UsageRequest {
        project,
        first_day: since.map(day).transpose()?,
        last_day: until.map(day).transpose()?,
        by,
    })
}

fn day(text: &str) -> anyhow::Result<Timestamp> {
    Timestamp::of_day(text).with_context(|| format!("`{text}` is not a day; write it as 2026-11-01"))
}

pub(super) fn print(report: &UsageReport, request: &UsageRequest, shape: Shape) -> anyhow::Result<()> {
    let headings: Vec<&'static str> = request.by.iter().map(|by| heading(*by)).chain(UNITS).collect();
    let mut listing = Listing::new(&headings);
    for group in &report.groups {
        let names = group.names.iter().map(|(_, name)| Cell::text(name));
        listing.add(names.chain(cells(group)).collect(), group)?;
    }
    let label = std::iter::once(Cell::text("total"));
    let blank = std::iter::repeat_n(Cell::text(""), request.by.len() - 1);
    listing.set_total(label.chain(blank).chain(cells(&report.total)).collect());
    listing.print(shape)
}

fn heading(by: UsageBy) -> &'static str {
    match by {
        UsageBy::Day => "DAY",
        UsageBy::Model => "MODEL",
        UsageBy::Project => "PROJECT",
    }
}

fn cells(group: &UsageGroup) -> Vec<Cell> {
    let usage = &group.usage;
    vec![
        Cell::text(group.requests),
        Cell::text(usage.audio_seconds),
        Cell::text(usage.input_tokens),
        Cell::text(usage.output_tokens),
        Cell::text(usage.characters),
        Cell::text(usage.cost_usd),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_not_a_day_is_refused() {
        assert!(request(None, Some("today"), None, vec![]).is_err());
        assert!(request(None, Some("2026-11-01"), None, vec![]).is_ok());
    }
}
