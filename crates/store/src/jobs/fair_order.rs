//! The order in which projects with queued steps are served: one after the other, so that no project has to wait until
//! another's queue is empty.

use parking_lot::Mutex;

use crate::error::StoreError;
use crate::sql::{Row, Statement, args, statements};
use crate::store::Store;

/// Maximum number of waiting projects of which one call checks whether they have a running step. With more, the next call
/// continues after them.
const CHECKED: usize = 64;

/// The projects with queued steps after the given one, or from the first if none comes after it. Each is found by one
/// lookup in the index of queued steps, however many steps are queued.
macro_rules! waiting {
    () => {
        "WITH RECURSIVE waiting (project_id) AS (
            SELECT COALESCE(
                (SELECT project_id FROM steps WHERE status = 'queued' AND project_id > $1 ORDER BY project_id LIMIT 1),
                (SELECT project_id FROM steps WHERE status = 'queued' ORDER BY project_id LIMIT 1))
            UNION ALL
            SELECT (SELECT steps.project_id FROM steps
                WHERE steps.status = 'queued' AND steps.project_id > waiting.project_id
                ORDER BY steps.project_id LIMIT 1)
            FROM waiting WHERE waiting.project_id IS NOT NULL) "
    };
}

statements! {
    WAITING = concat!(waiting!(), "SELECT project_id, NULL AS running FROM waiting WHERE project_id IS NOT NULL LIMIT $2");
    /// The same, and whether the project has a running step: one more lookup for each.
    WAITING_AND_RUNNING = concat!(waiting!(), "SELECT project_id,
            (SELECT steps.project_id FROM steps
                WHERE steps.status = 'in_progress' AND steps.project_id = waiting.project_id LIMIT 1) AS running
        FROM waiting WHERE project_id IS NOT NULL LIMIT $2");
}

/// Projects in the order in which they are served.
pub(crate) struct ServingOrder {
    pub(crate) projects: Vec<String>,
    /// The project that was served before the first.
    previous: String,
}

/// A project with queued steps.
struct WaitingProject {
    id: String,
    has_running_step: bool,
}

impl Store {
    /// The next projects to serve, at most `limit`. They are read without a lock, and only this process remembers which
    /// came last: it does no harm if another process serves the same project, and no row is updated by every process.
    pub(crate) async fn next_projects(&self, limit: usize) -> Result<ServingOrder, StoreError> {
        let previous = self.last_served().lock().clone();
        let waiting = self.waiting_after(&WAITING, &previous, limit).await?;
        let projects: Vec<String> = waiting.into_iter().map(|project| project.id).collect();
        if let Some(served) = projects.last() {
            served.clone_into(&mut self.last_served().lock());
        }
        Ok(ServingOrder { projects, previous })
    }

    /// Those of the next waiting projects that have no running step, on any node.
    pub(crate) async fn next_idle_projects(&self) -> Result<ServingOrder, StoreError> {
        let previous = self.last_checked().lock().clone();
        let waiting = self.waiting_after(&WAITING_AND_RUNNING, &previous, CHECKED).await?;
        if let Some(checked) = waiting.last() {
            checked.id.clone_into(&mut self.last_checked().lock());
        }
        let idle = waiting.into_iter().filter(|project| !project.has_running_step);
        Ok(ServingOrder { projects: idle.map(|project| project.id).collect(), previous })
    }

    /// The waiting projects after `last`, and then those from the first.
    async fn waiting_after(
        &self,
        statement: &Statement,
        last: &str,
        limit: usize,
    ) -> Result<Vec<WaitingProject>, StoreError> {
        let mut projects = self.waiting(statement, last, limit).await?;
        let starts_over = projects.first().is_none_or(|first| first.id.as_str() <= last);
        if !starts_over && !last.is_empty() && projects.len() < limit {
            let first = self.waiting(statement, "", limit - projects.len()).await?;
            let is_new = |one: &WaitingProject| projects.iter().all(|known| known.id != one.id);
            let missing: Vec<WaitingProject> = first.into_iter().filter(is_new).collect();
            projects.extend(missing);
        }
        Ok(projects)
    }

    async fn waiting(
        &self,
        statement: &Statement,
        last: &str,
        limit: usize,
    ) -> Result<Vec<WaitingProject>, StoreError> {
        let rows = self.database().rows(statement, args![last, limit as i64]).await?;
        rows.iter().map(decode_waiting).collect()
    }
}

impl ServingOrder {
    /// Remembers that the project at this index must be served first the next time.
    pub(crate) fn continue_at(&self, index: usize, last: &Mutex<String>) {
        let before = index.checked_sub(1).and_then(|before| self.projects.get(before));
        before.unwrap_or(&self.previous).clone_into(&mut last.lock());
    }
}

fn decode_waiting(row: &Row) -> Result<WaitingProject, StoreError> {
    let has_running_step = row.optional_str("running")?.is_some();
    Ok(WaitingProject { id: row.text("project_id")?, has_running_step })
}
