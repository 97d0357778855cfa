//! `auris projects usage`: the ledger, added up by day, model and project.

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use auris_domain::project::Project;
use auris_domain::time::Timestamp;
use auris_domain::usage::Usage;
use auris_store::{Span, Store, UsageLine};
use serde_json::{Map, Value, json};

use super::find;
use crate::cli::{Shape, UsageBy};
use crate::commands::listing::{Cell, Listing};
use crate::config::Config;
use crate::data;

const DAY_SECONDS: i64 = 86_400;
const UNITS: [&str; 6] =
    ["REQUESTS", "AUDIO_SECONDS", "INPUT_TOKENS", "OUTPUT_TOKENS", "CHARACTERS", "COST_USD"];

/// From the first day to the last, both with all their hours.
pub(super) fn span(since: Option<&str>, until: Option<&str>) -> anyhow::Result<Span> {
    let day = |text: &str| {
        Timestamp::of_day(text).with_context(|| format!("`{text}` is no day; write it as 2026-11-01"))
    };
    let (since, last) = (since.map(day).transpose()?, until.map(day).transpose()?);
    if since.zip(last).is_some_and(|(since, last)| last < since) {
        bail!("the last day comes before the first");
    }
    Ok(Span { since, until: last.map(|day| day.plus_seconds(DAY_SECONDS)) })
}

pub(super) async fn report(
    config: &Config,
    name: Option<&str>,
    span: Span,
    by: &[UsageBy],
    shape: Shape,
) -> anyhow::Result<()> {
    let store = data::open_store(config).await?;
    let projects = match name {
        Some(name) => vec![find(&store, name).await?],
        None => store.projects().await?,
    };
    let lines = add_up(&store, &projects, span, by).await?;
    let headings: Vec<&'static str> = by.iter().map(|by| heading(*by)).chain(UNITS).collect();
    let mut listing = Listing::new(&headings);
    let mut total = Sum::default();
    for (group, sum) in lines {
        let named = group.iter().map(Cell::text).chain(sum.cells());
        listing.add(named.collect(), sum.record(by, &group));
        total.add(sum.requests, sum.usage);
    }
    let name = std::iter::once(Cell::text("total"));
    let blank = std::iter::repeat_n(Cell::text(""), by.len() - 1);
    listing.set_total(name.chain(blank).chain(total.cells()).collect());
    listing.print(shape)
}

async fn add_up(
    store: &Store,
    projects: &[Project],
    span: Span,
    by: &[UsageBy],
) -> anyhow::Result<BTreeMap<Vec<String>, Sum>> {
    let mut sums: BTreeMap<Vec<String>, Sum> = BTreeMap::new();
    for project in projects {
        for line in store.usage_lines(&project.id, span).await? {
            let group = by.iter().map(|by| place(*by, project, &line)).collect();
            sums.entry(group).or_default().add(line.entries, line.usage);
        }
    }
    Ok(sums)
}

fn place(by: UsageBy, project: &Project, line: &UsageLine) -> String {
    match by {
        UsageBy::Day => line.day.clone(),
        UsageBy::Model => line.model.clone(),
        UsageBy::Project => project.name.clone(),
    }
}

fn heading(by: UsageBy) -> &'static str {
    match by {
        UsageBy::Day => "DAY",
        UsageBy::Model => "MODEL",
        UsageBy::Project => "PROJECT",
    }
}

/// What a group of entries comes to.
struct Sum {
    requests: u64,
    usage: Usage,
}

impl Default for Sum {
    fn default() -> Self {
        Self { requests: 0, usage: Usage::NONE }
    }
}

impl Sum {
    fn add(&mut self, requests: u64, usage: Usage) {
        self.requests += requests;
        self.usage = self.usage.clone() + usage;
    }

    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::text(self.requests),
            Cell::text(self.usage.audio_seconds),
            Cell::text(self.usage.input_tokens),
            Cell::text(self.usage.output_tokens),
            Cell::text(self.usage.characters),
            Cell::text(self.usage.cost_usd),
        ]
    }

    fn record(&self, by: &[UsageBy], group: &[String]) -> Value {
        let names = by.iter().map(|by| heading(*by).to_lowercase());
        let mut record: Map<String, Value> = names.zip(group.iter().map(|name| json!(name))).collect();
        record.insert("requests".into(), json!(self.requests));
        record.insert("usage".into(), json!(self.usage));
        Value::Object(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_holds_its_last_day_whole() {
        let span = span(Some("2026-11-01"), Some("2026-11-01")).unwrap();
        assert_eq!(span.until.unwrap().0 - span.since.unwrap().0, DAY_SECONDS);
    }

    #[test]
    fn days_that_are_none_and_spans_that_end_first_are_refused() {
        assert!(span(Some("today"), None).is_err());
        assert!(span(Some("2026-11-02"), Some("2026-11-01")).is_err());
    }
}
