//! Reads one job or a page of them.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::JobId;
use auris_domain::request::page::Page;
use auris_domain::wire::{self, JsonText};
use auris_store::StoredJob;

use crate::error::Outcome;
use crate::{Caller, Service};

impl Service {
    pub async fn list_jobs(&self, caller: &Caller, page: &Page) -> Outcome<JsonText> {
        let (jobs, has_more) =
            self.store().list_jobs(caller.project_id(), page.after.as_ref(), page.limit).await?;
        let parts = jobs.iter().map(|stored| (&stored.job, stored.result.as_ref()));
        Ok(wire::job_list(parts, has_more))
    }

    pub async fn read_job(&self, caller: &Caller, id: &JobId) -> Outcome<JsonText> {
        let stored = self.owned_job(caller, id).await?;
        Ok(wire::job(&stored.job, stored.result.as_ref()))
    }

    pub(crate) async fn owned_job(&self, caller: &Caller, id: &JobId) -> Outcome<StoredJob> {
        self.store().job(caller.project_id(), id).await?.ok_or_else(|| not_found(id, "jobId").into())
    }
}

pub(crate) fn not_found(id: &JobId, param: &str) -> ApiError {
    ApiError::new(ErrorCode::JobNotFound, format!("There is no job `{id}` in this project.")).at(param)
}
