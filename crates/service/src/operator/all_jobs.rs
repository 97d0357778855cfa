//! The jobs of all projects in one list.

use std::collections::BTreeMap;

use auris_domain::id::ProjectId;
use auris_domain::job::JobStatus;
use auris_domain::request::AllJobsQuery;
use auris_domain::wire::{self, JsonText};
use auris_store::{JobFilter, StoredJob};

use super::{Operator, OperatorError, Result};

impl Operator {
    /// A page of jobs, newest first, each as in the API of its project but without its result, and with the name of its
    /// project. Fails if the query names a project that does not exist.
    pub async fn list_all_jobs(&self, query: AllJobsQuery) -> Result<JsonText> {
        let filter = JobFilter {
            project: self.filtered_project(query.project.as_deref()).await?,
            operation: query.operation,
            status: query.status,
            before: query.end_id(),
            from: query.first_id(),
            limit: query.limit,
        };
        let (mut jobs, has_more) = self.store.list_all_jobs(&filter).await?;
        for stored in &mut jobs {
            self.fill_queue_position(stored).await?;
        }
        let names = self.project_names().await?;
        let name = |id: &ProjectId| names.get(id).map_or("", String::as_str);
        let named = jobs.iter().map(|stored| (&stored.job, name(&stored.job.project_id)));
        Ok(wire::job_list_of_projects(named, has_more))
    }

    /// The names of all projects by id.
    pub(super) async fn project_names(&self) -> Result<BTreeMap<ProjectId, String>> {
        let projects = self.store.projects().await?;
        Ok(projects.into_iter().map(|project| (project.id, project.name)).collect())
    }

    /// Unlike `project`, creates nothing.
    async fn filtered_project(&self, name: Option<&str>) -> Result<Option<ProjectId>> {
        let Some(name) = name else { return Ok(None) };
        match self.store.project_by_name(name).await? {
            Some(project) => Ok(Some(project.id)),
            None => Err(OperatorError::not_found(format!("there is no project `{name}`"))),
        }
    }

    async fn fill_queue_position(&self, stored: &mut StoredJob) -> Result<()> {
        if stored.job.status() == JobStatus::Queued {
            let position = self.store.queue_position(&stored.job.project_id, &stored.job.id).await?;
            stored.job.progress.queue_position = Some(position);
        }
        Ok(())
    }
}
