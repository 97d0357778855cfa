//! Held keys: idempotency keys of requests that wait for the end of their job. The job is stored together with the key, so
//! such a key is never free: when its request goes away, the next one with the same key takes it over.

use auris_domain::id::JobId;
use auris_domain::time::Millis;

use super::keys::{KeyHold, scope_arguments};
use crate::cluster::latest_end;
use crate::error::StoreError;
use crate::sql::{args, statements};
use crate::store::Store;

statements! {
    /// Keeps the old body if the new one is NULL.
    ANSWER_HELD_KEY = "UPDATE idempotency_keys SET body = COALESCE($6, body), lease_until_ms = NULL
        WHERE project_id = $1 AND method = $2 AND path = $3 AND idempotency_key = $4
            AND holder = $5 AND status IS NOT NULL AND lease_until_ms IS NOT NULL";
    TAKE_HELD_KEY = "UPDATE idempotency_keys SET holder = $6, lease_until_ms = $7
        WHERE project_id = $1 AND method = $2 AND path = $3 AND idempotency_key = $4
            AND fingerprint = $5 AND status IS NOT NULL AND (lease_until_ms <= $8 OR lease_until_ms > $9)";
    /// The job goes on, so the key stays. The next request with it can take it over at once.
    LEAVE_HELD_KEY = "UPDATE idempotency_keys SET lease_until_ms = 0
        WHERE project_id = $1 AND method = $2 AND path = $3 AND idempotency_key = $4
            AND holder = $5 AND status IS NOT NULL AND lease_until_ms IS NOT NULL";
    /// Changes nothing: it locks the job's row, so that its content is not deleted concurrently.
    LOCK_CONTENT = "UPDATE jobs SET version = version WHERE id = $1 AND result_deleted_at IS NULL";
}

impl Store {
    /// Stores the final body of a held key's answer. It can contain the job's content and is deleted with it: if the
    /// content is already gone, the old body is kept. `Conflict` if another request holds the key by now.
    pub async fn answer_held_key(&self, hold: &KeyHold, body: &str, job: &JobId) -> Result<(), StoreError> {
        let mut tx = self.database().begin().await?;
        let has_content = tx.write(&LOCK_CONTENT, args![job]).await? > 0;
        let mut arguments = scope_arguments(&hold.scope);
        arguments.extend(args![&hold.holder, has_content.then_some(body)]);
        if tx.write(&ANSWER_HELD_KEY, arguments).await? == 0 {
            tx.rollback().await?;
            return Err(StoreError::Conflict);
        }
        tx.commit().await
    }

    /// Takes over a held key whose request ended without its answer. False if a request still holds it.
    pub async fn take_held_key(
        &self,
        hold: &KeyHold,
        lease_until: Millis,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let mut arguments = scope_arguments(&hold.scope);
        arguments.extend(args![&hold.fingerprint, &hold.holder, lease_until, now, latest_end(now)]);
        Ok(self.database().write(&TAKE_HELD_KEY, arguments).await? > 0)
    }

    /// Ends the hold of a request that ends without its answer.
    pub async fn leave_held_key(&self, hold: &KeyHold) -> Result<(), StoreError> {
        let mut arguments = scope_arguments(&hold.scope);
        arguments.extend(args![&hold.holder]);
        self.database().write(&LEAVE_HELD_KEY, arguments).await.map(drop)
    }
}
