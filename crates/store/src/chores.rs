//! Chores that one node does for all, such as looking through a bucket.

use auris_domain::time::Millis;

use crate::db::args;
use crate::error::StoreError;
use crate::statements::statements;
use crate::store::Store;

statements! {
    MAKE_CHORE = "INSERT INTO chores (name, due_ms) VALUES ($1, 0) ON CONFLICT DO NOTHING";
    TAKE_CHORE = "UPDATE chores SET due_ms = $3 WHERE name = $1 AND due_ms <= $2";
}

impl Store {
    /// True for one node among all that ask, and then for nobody until `next`.
    pub async fn take_chore(&self, name: &str, now: Millis, next: Millis) -> Result<bool, StoreError> {
        self.database().write(&MAKE_CHORE, args![name]).await?;
        Ok(self.database().write(&TAKE_CHORE, args![name, now, next]).await? == 1)
    }
}
