//! The query of a list of webhook deliveries.

use super::query::{Query, invalid};
use crate::error::{ApiError, Checked, ErrorCode};
use crate::id::{DeliveryId, EndpointId, JobId};
use crate::limits;

/// A checked query of the deliveries of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveriesQuery {
    /// `pending`, `delivered` or `failed`; the caller of this reader knows the words.
    pub status: Option<String>,
    pub job: Option<JobId>,
    pub endpoint: Option<EndpointId>,
    pub limit: u32,
    /// The last delivery of the previous page. It need not exist.
    pub after: Option<DeliveryId>,
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
            after: query.text("after")?.map(|text| text.parse().map_err(|_| not_a_cursor())).transpose()?,
        };
        query.finish()?;
        if !(1..=limits::PAGE_MAX).contains(&parsed.limit) {
            return Err(invalid("limit", &limit));
        }
        Ok(parsed)
    }
}

fn not_a_cursor() -> ApiError {
    let message = "`after` must be the `last_id` of an earlier page.";
    ApiError::new(ErrorCode::InvalidCursor, message).at("after")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_begins_after_a_delivery() {
        assert_eq!(DeliveriesQuery::parse("").unwrap().after, None);
        let query = DeliveriesQuery::parse("after=dlv_00000000000000000000&limit=7").unwrap();
        assert_eq!((query.after.unwrap().as_str(), query.limit), ("dlv_00000000000000000000", 7));
        let refused = DeliveriesQuery::parse("after=job_00000000000000000000").unwrap_err();
        assert_eq!((refused.code, refused.param.as_deref()), (ErrorCode::InvalidCursor, Some("after")));
    }
}
