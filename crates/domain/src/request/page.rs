//! The query of a list: the page size and the cursor.

use crate::error::{ApiError, Checked, ErrorCode};
use crate::id::JobId;
use crate::limits;

/// The checked query of `GET /v1/jobs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub limit: u32,
    pub after: Option<JobId>,
}

impl Page {
    /// Reads a raw query string. Unknown parameters are ignored; known ones must not be repeated.
    pub fn parse(query: &str) -> Checked<Self> {
        let pairs: Vec<(String, String)> =
            url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        Ok(Self { limit: limit(single(&pairs, "limit")?)?, after: after(single(&pairs, "after")?)? })
    }
}

/// The page size; the default if absent.
pub(super) fn limit(text: Option<&str>) -> Checked<u32> {
    let Some(text) = text else {
        return Ok(limits::PAGE_DEFAULT);
    };
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ApiError::new(ErrorCode::InvalidType, "`limit` must be an integer.").at("limit"));
    }
    let limit: Option<u32> = text.parse().ok();
    limit.filter(|limit| (1..=limits::PAGE_MAX).contains(limit)).ok_or_else(|| {
        let message = format!("`limit` must be from 1 to {}.", limits::PAGE_MAX);
        ApiError::new(ErrorCode::InvalidValue, message).at("limit")
    })
}

/// The cursor: a job id. The job need not exist.
pub(super) fn after(text: Option<&str>) -> Checked<Option<JobId>> {
    text.map(|text| {
        text.parse().map_err(|_| {
            let message = "`after` must be the `last_id` of an earlier page.";
            ApiError::new(ErrorCode::InvalidCursor, message).at("after")
        })
    })
    .transpose()
}

/// The value of a parameter that may be given once.
pub(super) fn single<'a>(pairs: &'a [(String, String)], name: &str) -> Checked<Option<&'a str>> {
    let mut values = pairs.iter().filter(|(given, _)| given == name);
    let first = values.next().map(|(_, value)| value.as_str());
    match values.next() {
        None => Ok(first),
        Some(_) => {
            let message = format!("`{name}` was given more than once.");
            Err(ApiError::new(ErrorCode::InvalidValue, message).at(name))
        }
    }
}
