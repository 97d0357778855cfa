//! Whose turn it is: the projects that have queued steps, one after the other, so that none waits for all of another's.

use std::sync::PoisonError;

use crate::db::args;
use crate::error::StoreError;
use crate::statements::statements;
use crate::store::Store;

statements! {
    /// The projects that wait, after the given one, or from the first where none comes after it. Each is found by one
    /// look into the index of queued steps, however many steps the projects in between have.
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
    /// The next projects in turn, as many as there are places for. Read without a lock, and remembered by this process
    /// alone: a rival that serves the same project does no harm, and no row is written by everybody.
    pub(crate) async fn next_turns(&self, places: usize) -> Result<Vec<String>, StoreError> {
        let last = self.last_served().lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut turns = self.waiting_after(&last, places).await?;
        let wrapped = turns.first().is_none_or(|first| *first <= last);
        if !wrapped && !last.is_empty() && turns.len() < places {
            let others = self.waiting_after("", places - turns.len()).await?;
            let missing: Vec<String> = others.into_iter().filter(|other| !turns.contains(other)).collect();
            turns.extend(missing);
        }
        if let Some(served) = turns.last() {
            served.clone_into(&mut self.last_served().lock().unwrap_or_else(PoisonError::into_inner));
        }
        Ok(turns)
    }

    async fn waiting_after(&self, last: &str, places: usize) -> Result<Vec<String>, StoreError> {
        let rows = self.database().rows(&WAITING, args![last, places as i64]).await?;
        rows.iter().map(|row| row.text("project_id")).collect()
    }
}
