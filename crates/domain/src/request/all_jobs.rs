//! The query of the console's lists of jobs: of all projects, for operators, or of one.

use std::str::FromStr;

use super::page::{after, limit, single};
use crate::error::{ApiError, Checked, ErrorCode};
use crate::id::JobId;
use crate::job::{JobStatus, Operation};
use crate::time::{Millis, Timestamp};

/// The first one is not a parameter of the list of one project.
const PARAMETERS: [&str; 7] =
    ["project", "operation", "status", "created_after", "created_before", "limit", "after"];
/// The largest time of a filter, in seconds: ids encode milliseconds in nine characters of base 36.
const MAX_SECONDS: i64 = 99_999_999_999;

/// Which jobs to list. Every filter is optional.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllJobsQuery {
    /// The name of a project.
    pub project: Option<String>,
    pub operation: Option<Operation>,
    pub status: Option<JobStatus>,
    /// Jobs that were created at this time or later.
    pub created_after: Option<Timestamp>,
    /// Jobs that were created before this time.
    pub created_before: Option<Timestamp>,
    pub limit: u32,
    pub after: Option<JobId>,
}

impl AllJobsQuery {
    /// Reads a raw query string. Unknown and repeated parameters are refused.
    pub fn parse(query: &str) -> Checked<Self> {
        Self::read(query, &PARAMETERS)
    }

    /// Reads the query of a list whose path names the project.
    pub fn of_project(query: &str, project: &str) -> Checked<Self> {
        Ok(Self { project: Some(project.to_owned()), ..Self::read(query, &PARAMETERS[1..])? })
    }

    fn read(query: &str, parameters: &[&str]) -> Checked<Self> {
        let pairs: Vec<(String, String)> =
            url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        if let Some((name, _)) = pairs.iter().find(|(name, _)| !parameters.contains(&name.as_str())) {
            return Err(unknown(name, parameters));
        }
        Ok(Self {
            project: single(&pairs, "project")?.map(str::to_owned),
            operation: choice(&pairs, "operation")?,
            status: choice(&pairs, "status")?,
            created_after: time(&pairs, "created_after")?,
            created_before: time(&pairs, "created_before")?,
            limit: limit(single(&pairs, "limit")?)?,
            after: after(single(&pairs, "after")?)?,
        })
    }

    /// The oldest id of a job to list. Ids sort by the time at which their jobs were created.
    pub fn first_id(&self) -> Option<JobId> {
        self.created_after.map(first_id_of)
    }

    /// The first id that is too new: of the cursor or of `created_before`.
    pub fn end_id(&self) -> Option<JobId> {
        [self.after.clone(), self.created_before.map(first_id_of)].into_iter().flatten().min()
    }
}

fn first_id_of(time: Timestamp) -> JobId {
    JobId::first_of(Millis(time.0.saturating_mul(1000)))
}

fn unknown(name: &str, parameters: &[&str]) -> ApiError {
    let message = format!("`{name}` is not a parameter of this list; it has {}.", quoted(parameters));
    ApiError::new(ErrorCode::UnknownParameter, message).at(name)
}

fn quoted(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// A value that is one of few words, as jobs have them.
fn choice<T: FromStr>(pairs: &[(String, String)], name: &str) -> Checked<Option<T>> {
    let parse = |text: &str| {
        text.parse().map_err(|_| {
            let message = format!("`{text}` is not a value of `{name}`; use a value that jobs can have.");
            ApiError::new(ErrorCode::InvalidValue, message).at(name)
        })
    };
    single(pairs, name)?.map(parse).transpose()
}

/// Unix seconds.
fn time(pairs: &[(String, String)], name: &str) -> Checked<Option<Timestamp>> {
    let parse = |text: &str| {
        let seconds = text.parse().ok().filter(|seconds| (0..=MAX_SECONDS).contains(seconds));
        seconds.map(Timestamp).ok_or_else(|| {
            let message = format!("`{name}` must be a time in whole seconds since 1970, such as 1794700800.");
            ApiError::new(ErrorCode::InvalidValue, message).at(name)
        })
    };
    single(pairs, name)?.map(parse).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits;

    #[test]
    fn an_empty_query_lists_the_newest_jobs_of_all_projects() {
        let query = AllJobsQuery::parse("").unwrap();
        assert_eq!(query.limit, limits::PAGE_DEFAULT);
        assert_eq!((query.first_id(), query.end_id(), query.project), (None, None, None));
    }

    #[test]
    fn every_filter_is_read() {
        let query = "project=my+team&operation=transcription&status=in_progress&created_after=1&created_before=2&limit=100";
        let query = AllJobsQuery::parse(query).unwrap();
        assert_eq!(query.project.as_deref(), Some("my team"));
        assert_eq!(
            (query.operation, query.status),
            (Some(Operation::Transcription), Some(JobStatus::InProgress))
        );
        assert_eq!(query.first_id(), Some(JobId::first_of(Millis(1000))));
        assert_eq!((query.end_id(), query.limit), (Some(JobId::first_of(Millis(2000))), 100));
    }

    #[test]
    fn the_project_of_a_path_cannot_be_replaced() {
        let query = AllJobsQuery::of_project("status=failed", "mine").unwrap();
        assert_eq!((query.project.as_deref(), query.status), (Some("mine"), Some(JobStatus::Failed)));
        let refused = AllJobsQuery::of_project("project=other", "mine").unwrap_err();
        assert_eq!((refused.code, refused.param.as_deref()), (ErrorCode::UnknownParameter, Some("project")));
        assert!(!refused.message.contains("`project`, "), "{}", refused.message);
    }

    #[test]
    fn a_page_ends_at_the_cursor_or_at_the_given_time() {
        let cursor = JobId::generate(Millis(5_000));
        let ends = |seconds: i64| {
            let query = format!("after={cursor}&created_before={seconds}");
            AllJobsQuery::parse(&query).unwrap().end_id().unwrap()
        };
        assert_eq!(ends(6), cursor);
        assert_eq!(ends(4), JobId::first_of(Millis(4_000)));
    }

    #[test]
    fn an_unknown_parameter_and_a_wrong_value_are_named() {
        let refused = |query: &str| {
            let error = AllJobsQuery::parse(query).unwrap_err();
            (error.code, error.param.unwrap())
        };
        assert_eq!(refused("state=queued"), (ErrorCode::UnknownParameter, "state".to_owned()));
        for (query, param) in [
            ("status=done", "status"),
            ("operation=", "operation"),
            ("created_after=yesterday", "created_after"),
            ("created_before=-1", "created_before"),
            ("created_before=100000000000", "created_before"),
            ("limit=101", "limit"),
            ("project=a&project=b", "project"),
        ] {
            assert_eq!(refused(query), (ErrorCode::InvalidValue, param.to_owned()), "{query}");
        }
        assert_eq!(refused("after=job_1").0, ErrorCode::InvalidCursor);
    }
}
