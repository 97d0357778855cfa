//! Reads one job or a page of them.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::JobId;
use auris_domain::request::page::Page;
use auris_domain::wire::{self, JsonText};
use auris_store::StoredJob;
use bytes::Bytes;

use crate::error::Outcome;
use crate::{Caller, Service, sized_work};

impl Service {
    pub async fn list_jobs(&self, caller: &Caller, page: &Page) -> Outcome<JsonText> {
        let (jobs, has_more) =
            self.store().list_jobs(caller.project_id(), page.after.as_ref(), page.limit).await?;
        let parts = jobs.iter().map(|stored| (&stored.job, stored.result.as_ref()));
        Ok(wire::job_list(parts, has_more))
    }

    /// A job with its result as JSON. Fails if the caller has too many large responses.
    pub async fn read_job(&self, caller: &Caller, id: &JobId) -> Outcome<Bytes> {
        let stored = self.owned_job(caller, id).await?;
        let memory = self.reserve_composing(caller, stored.large_result_bytes.unwrap_or_default()).await?;
        let document = self.job_document(stored).await?;
        Ok(memory.hold(document.into_string()))
    }

    /// A job with its result, also if that is large.
    pub(super) async fn job_document(&self, stored: StoredJob) -> Outcome<JsonText> {
        let large = match stored.large_result_bytes {
            Some(_) => self.store().large_result(&stored.job.id).await?,
            None => None,
        };
        let Some(large) = large else { return Ok(wire::job(&stored.job, stored.result.as_ref())) };
        sized_work::run(large.bytes(), move || Ok(wire::job(&stored.job, Some(&large.parse()?)))).await?
    }

    pub(crate) async fn owned_job(&self, caller: &Caller, id: &JobId) -> Outcome<StoredJob> {
        self.store().job(caller.project_id(), id).await?.ok_or_else(|| not_found(id, "jobId").into())
    }
}

pub(crate) fn not_found(id: &JobId, param: &str) -> ApiError {
    ApiError::new(ErrorCode::JobNotFound, format!("There is no job `{id}` in this project.")).at(param)
}
