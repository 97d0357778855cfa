//! Periodic tasks that one node does for all, such as listing a bucket.

use auris_domain::time::Millis;

use crate::error::StoreError;
use crate::sql::{args, statements};
use crate::store::Store;

statements! {
    ADD_TASK = "INSERT INTO chores (name, due_ms) VALUES ($1, 0) ON CONFLICT DO NOTHING";
    CLAIM_TASK = "UPDATE chores SET due_ms = $3 WHERE name = $1 AND due_ms <= $2";
    RECORD_DONE = "UPDATE chores SET done_ms = $2 WHERE name = $1";
    LAST_DONE = "SELECT done_ms FROM chores WHERE name = $1";
}

impl Store {
    /// Returns true for one of the nodes that call this when the task is due, and then for none until `next`.
    pub async fn claim_task(&self, name: &str, now: Millis, next: Millis) -> Result<bool, StoreError> {
        self.database().write(&ADD_TASK, args![name]).await?;
        Ok(self.database().write(&CLAIM_TASK, args![name, now, next]).await? == 1)
    }

    /// Records that a node has done the task.
    pub async fn record_task(&self, name: &str, now: Millis) -> Result<(), StoreError> {
        self.database().write(&ADD_TASK, args![name]).await?;
        self.database().write(&RECORD_DONE, args![name, now]).await.map(drop)
    }

    /// When a node has last done the task; `None` if none has.
    pub async fn task_last_done(&self, name: &str) -> Result<Option<Millis>, StoreError> {
        let row = self.database().row(&LAST_DONE, args![name]).await?;
        let done = row.map_or(Ok(None), |row| row.optional_integer("done_ms"))?;
        Ok(done.map(Millis))
    }
}
