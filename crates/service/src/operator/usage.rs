//! Usage: the ledger, added up by day, model and project.

use std::collections::BTreeMap;

use auris_domain::project::Project;
use auris_domain::time::Timestamp;
use auris_domain::usage::{Usage, UsageBy};
use auris_store::{Span, UsageLine};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{Operator, OperatorError, Result};

const DAY_SECONDS: i64 = 86_400;

/// Which usage to report, and how to group it.
#[derive(Debug, Clone)]
pub struct UsageRequest {
    /// `None` for all projects.
    pub project: Option<String>,
    /// First and last day in UTC, both included.
    pub first_day: Option<Timestamp>,
    pub last_day: Option<Timestamp>,
    pub by: Vec<UsageBy>,
}

/// Usage in groups, ordered by the names of the groups.
#[derive(Debug, Clone)]
pub struct UsageReport {
    pub groups: Vec<UsageGroup>,
    /// The sum of all groups; it has no names.
    pub total: UsageGroup,
}

/// What one group used.
#[derive(Debug, Clone)]
pub struct UsageGroup {
    pub names: Vec<(UsageBy, String)>,
    pub requests: u64,
    pub usage: Usage,
}

impl UsageGroup {
    fn new(names: Vec<(UsageBy, String)>) -> Self {
        Self { names, requests: 0, usage: Usage::NONE }
    }

    fn add(&mut self, requests: u64, usage: Usage) {
        self.requests += requests;
        self.usage = self.usage.clone() + usage;
    }
}

/// The names are keys beside `requests` and `usage`.
impl Serialize for UsageGroup {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut record = serializer.serialize_map(Some(self.names.len() + 2))?;
        for (by, name) in &self.names {
            record.serialize_entry(by.as_str(), name)?;
        }
        record.serialize_entry("requests", &self.requests)?;
        record.serialize_entry("usage", &self.usage)?;
        record.end()
    }
}

impl Operator {
    /// Adds up what was used.
    pub async fn report_usage(&self, request: &UsageRequest) -> Result<UsageReport> {
        let span = span(request)?;
        let projects = match &request.project {
            Some(name) => vec![self.project(name).await?],
            None => self.store.projects().await?,
        };
        let mut groups: BTreeMap<Vec<String>, UsageGroup> = BTreeMap::new();
        let mut total = UsageGroup::new(Vec::new());
        for project in &projects {
            for line in self.store.usage_lines(&project.id, span).await? {
                let names: Vec<String> = request.by.iter().map(|by| name_of(*by, project, &line)).collect();
                total.add(line.entries, line.usage.clone());
                let named = request.by.iter().copied().zip(names.iter().cloned()).collect();
                groups.entry(names).or_insert_with(|| UsageGroup::new(named)).add(line.entries, line.usage);
            }
        }
        Ok(UsageReport { groups: groups.into_values().collect(), total })
    }
}

/// The name of the group that a line belongs to.
fn name_of(by: UsageBy, project: &Project, line: &UsageLine) -> String {
    match by {
        UsageBy::Day => line.day.clone(),
        UsageBy::Model => line.model.clone(),
        UsageBy::Project => project.name.clone(),
    }
}

/// From the start of the first day to the end of the last.
fn span(request: &UsageRequest) -> Result<Span> {
    if let (Some(first), Some(last)) = (request.first_day, request.last_day)
        && last < first
    {
        return Err(OperatorError::invalid("the last day is before the first day"));
    }
    let until = request.last_day.map(|day| day.plus_seconds(DAY_SECONDS));
    Ok(Span { since: request.first_day, until })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(first_day: Option<i64>, last_day: Option<i64>) -> UsageRequest {
        let day = |day: i64| Timestamp(day * DAY_SECONDS);
        let (first_day, last_day) = (first_day.map(day), last_day.map(day));
        UsageRequest { project: None, first_day, last_day, by: vec![UsageBy::Project] }
    }

    #[test]
    fn the_last_day_is_included() {
        let span = span(&request(Some(3), Some(3))).unwrap();
        assert_eq!(span.until.unwrap().0 - span.since.unwrap().0, DAY_SECONDS);
    }

    #[test]
    fn a_last_day_before_the_first_is_refused() {
        assert!(span(&request(Some(2), Some(1))).is_err());
    }

    #[test]
    fn a_group_serialises_its_names_first() {
        let names = vec![(UsageBy::Project, "default".into()), (UsageBy::Day, "2026-11-01".into())];
        let expected = concat!(
            r#"{"project":"default","day":"2026-11-01","requests":0,"usage":{"audio_seconds":0,"#,
            r#""input_tokens":0,"output_tokens":0,"characters":0,"cost_usd":"0"}}"#
        );
        assert_eq!(serde_json::to_string(&UsageGroup::new(names)).unwrap(), expected);
    }
}
