//! The query of a list of webhook deliveries.

use super::query::{Query, invalid};
use crate::error::Checked;
use crate::id::{EndpointId, JobId};
use crate::limits;

/// A checked query of the deliveries of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveriesQuery {
    /// `pending`, `delivered` or `failed`; the caller of this reader knows the words.
    pub status: Option<String>,
    pub job: Option<JobId>,
    pub endpoint: Option<EndpointId>,
    pub limit: u32,
}

impl DeliveriesQuery {
    pub fn parse(query: &str) -> Checked<Self> {
        let mut query = Query::read(query);
        let limit = format!("an integer from 1 to {}", limits::PAGE_MAX);
        let parsed = Self {
            status: query.text("status")?,
            job: query.parsed("job_id", "the id of a job")?,
            endpoint: query.parsed("endpoint_id", "the id of a webhook endpoint")?,
            limit: query.parsed("limit", &limit)?.unwrap_or(limits::PAGE_DEFAULT),
        };
        query.finish()?;
        if !(1..=limits::PAGE_MAX).contains(&parsed.limit) {
            return Err(invalid("limit", &limit));
        }
        Ok(parsed)
    }
}
