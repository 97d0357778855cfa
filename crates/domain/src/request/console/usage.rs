//! The query of a usage report.

use super::query::{Query, invalid};
use crate::error::Checked;
use crate::time::Timestamp;
use crate::usage::UsageBy;

/// A checked query of `GET /operator/v1/usage`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageQuery {
    pub project: Option<String>,
    pub first_day: Option<Timestamp>,
    pub last_day: Option<Timestamp>,
    pub by: Vec<UsageBy>,
}

impl UsageQuery {
    /// Reads a raw query string; without `by`, usage is grouped by day and model.
    pub fn parse(query: &str) -> Checked<Self> {
        let mut query = Query::read(query);
        let parsed = Self {
            project: query.text("project")?,
            first_day: day(&mut query, "first_day")?,
            last_day: day(&mut query, "last_day")?,
            by: by(&mut query)?,
        };
        query.finish()?;
        if parsed.project.as_ref().is_some_and(String::is_empty) {
            return Err(invalid("project", "the name of a project"));
        }
        if let (Some(first), Some(last)) = (parsed.first_day, parsed.last_day)
            && last < first
        {
            return Err(invalid("last_day", "the first day or a later one"));
        }
        Ok(parsed)
    }
}

fn day(query: &mut Query, name: &str) -> Checked<Option<Timestamp>> {
    let Some(text) = query.text(name)? else { return Ok(None) };
    Timestamp::of_day(&text).map(Some).ok_or_else(|| invalid(name, "a day such as `2026-11-01`"))
}

fn by(query: &mut Query) -> Checked<Vec<UsageBy>> {
    let Some(text) = query.text("by")? else { return Ok(vec![UsageBy::Day, UsageBy::Model]) };
    let mut names = Vec::new();
    for word in text.split(',') {
        let name = word.parse().map_err(|_| invalid("by", "a list of `day`, `model` and `project`"))?;
        if names.contains(&name) {
            return Err(invalid("by", "a list in which each name occurs once"));
        }
        names.push(name);
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_checked_parameter_by_parameter() {
        let query = UsageQuery::parse("project=default&first_day=2026-11-01&by=model").unwrap();
        assert_eq!(query.project.as_deref(), Some("default"));
        assert_eq!(query.by, [UsageBy::Model]);
        for (query, param) in [
            ("project=", "project"),
            ("first_day=today", "first_day"),
            ("by=hour", "by"),
            ("by=day,day", "by"),
            ("first_day=2026-11-02&last_day=2026-11-01", "last_day"),
            ("other=1", "other"),
            ("by=day&by=model", "by"),
        ] {
            assert_eq!(UsageQuery::parse(query).unwrap_err().param.as_deref(), Some(param), "{query}");
        }
    }
}
