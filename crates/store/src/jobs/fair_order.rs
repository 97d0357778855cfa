//! The order in which projects with queued steps are served: one after the other, so that no project has to wait until
//! another's queue is empty.

use crate::error::StoreError;
use crate::sql::{args, statements};
use crate::store::Store;

statements! {
    /// The projects with queued steps after the given one, or from the first if none comes after it. Each is found by
    /// one lookup in the index of queued steps, however many steps are queued.
    WAITING = "WITH RECURSIVE waiting (project_id) AS (
            SELECT COALESCE(
                (SELECT project_id FROM steps WHERE status = 'queued' AND project_id > $1 ORDER BY project_id LIMIT 1),
                (SELECT project_id FROM steps WHERE status = 'queued' ORDER BY project_id LIMIT 1))
            UNION ALL
            SELECT (SELECT steps.project_id FROM steps
                WHERE steps.status = 'queued' AND steps.project_id > waiting.project_id
                ORDER BY steps.project_id LIMIT 1)
            FROM waiting WHERE waiting.project_id IS NOT NULL)
        SELECT project_id FROM waiting WHERE project_id IS NOT NULL LIMIT $2";
}

impl Store {
    /// The next projects to serve, at most `limit`. They are read without a lock, and only this process remembers which
    /// came last: it does no harm if another process serves the same project, and no row is updated by every process.
    pub(crate) async fn next_projects(&self, limit: usize) -> Result<Vec<String>, StoreError> {
        let last = self.last_served().lock().clone();
        let mut projects = self.waiting_after(&last, limit).await?;
        let starts_over = projects.first().is_none_or(|first| *first <= last);
        if !starts_over && !last.is_empty() && projects.len() < limit {
            let first = self.waiting_after("", limit - projects.len()).await?;
            let missing: Vec<String> = first.into_iter().filter(|one| !projects.contains(one)).collect();
            projects.extend(missing);
        }
        if let Some(served) = projects.last() {
            served.clone_into(&mut self.last_served().lock());
        }
        Ok(projects)
    }

    async fn waiting_after(&self, last: &str, limit: usize) -> Result<Vec<String>, StoreError> {
        let rows = self.database().rows(&WAITING, args![last, limit as i64]).await?;
        rows.iter().map(|row| row.text("project_id")).collect()
    }
}
