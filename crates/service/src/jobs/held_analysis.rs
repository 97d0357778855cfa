//! Held analyses: with `async: false` the answer waits for the end of the job.

use std::time::Duration;

use auris_domain::id::JobId;
use auris_domain::limits;
use auris_domain::wire::JsonText;
use auris_store::StoredResponse;

use crate::access::{HeldKey, RequestKey};
use crate::error::Outcome;
use crate::{Caller, Service};

/// How long one wait for the job's end lasts at most, so that a missed wake-up costs no more than this.
const RECHECK: Duration = Duration::from_secs(1);

impl Service {
    /// Waits until the job has ended or the limit is reached, and answers with the job as it is then.
    pub(super) async fn answer_when_ended(
        &self,
        caller: &Caller,
        id: &JobId,
        key: Option<HeldKey>,
    ) -> Outcome<JsonText> {
        let limit = Duration::from_secs(limits::ANALYSIS_HOLD_SECONDS);
        let answer = match tokio::time::timeout(limit, self.wait_for_end(caller, id)).await {
            Ok(answer) => answer?,
            Err(_) => self.job_document(self.owned_job(caller, id).await?).await?,
        };
        if let Some(key) = key {
            self.answer_held_key(key, answer.as_str(), id).await?;
        }
        Ok(answer)
    }

    /// Waits for the job of an earlier request with the same key that went away without an answer.
    pub(super) async fn resume_analysis(
        &self,
        caller: &Caller,
        id: &JobId,
        key: &RequestKey,
    ) -> Outcome<StoredResponse> {
        let held = self.take_held_key(caller, key).await?;
        let body = self.answer_when_ended(caller, id, Some(held)).await?.into_string();
        Ok(StoredResponse { status: 202, content_type: "application/json".into(), body })
    }

    async fn wait_for_end(&self, caller: &Caller, id: &JobId) -> Outcome<JsonText> {
        let mut waiter = self.store().wakeups().subscribe_job(id);
        loop {
            let stored = self.owned_job(caller, id).await?;
            if stored.job.status().is_terminal() || self.shutdown().is_cancelled() {
                return self.job_document(stored).await;
            }
            waiter.changed(RECHECK).await;
        }
    }
}
