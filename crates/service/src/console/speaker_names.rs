//! The names that people give to the speakers of a job. They are for display only: results keep the labels.

use std::collections::BTreeMap;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::JobId;
use auris_domain::wire::{self, JsonText};

use crate::error::Outcome;
use crate::{Caller, Service};

impl Service {
    /// The names by the speakers' labels; none if nobody has named them.
    pub async fn speaker_names(&self, caller: &Caller, job: &JobId) -> Outcome<JsonText> {
        self.owned_job(caller, job).await?;
        let stored = self.store().speaker_names(job).await?;
        let names = stored.unwrap_or_else(|| JsonText::of(&BTreeMap::<String, String>::new()));
        Ok(wire::speaker_names(&names))
    }

    /// Replaces all names. `SpeakerNamesRequest` has checked them.
    pub async fn set_speaker_names(
        &self,
        caller: &Caller,
        job: &JobId,
        names: BTreeMap<String, String>,
    ) -> Outcome<JsonText> {
        self.owned_job(caller, job).await?;
        let names = JsonText::of(&names);
        match self.store().set_speaker_names(job, &names).await? {
            true => Ok(wire::speaker_names(&names)),
            false => Err(content_deleted(job).into()),
        }
    }
}

fn content_deleted(job: &JobId) -> ApiError {
    let message = format!("The content of the job `{job}` was deleted or has expired.");
    ApiError::new(ErrorCode::ContentUnavailable, message).at("jobId")
}
