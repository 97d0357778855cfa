//! Cancels a job.

use auris_domain::id::JobId;
use auris_domain::machine::Command;
use auris_domain::wire::JsonText;

use super::apply_command::{CommandOutcome, Effect, EffectKey};
use crate::access::{Replayable, RequestKey};
use crate::error::Outcome;
use crate::{Caller, Service, ServiceError};

impl Service {
    /// Cancels a job. A job that is being cancelled or has ended does not change.
    pub async fn cancel_job(
        &self,
        caller: &Caller,
        id: &JobId,
        key: Option<RequestKey>,
    ) -> Outcome<Replayable<JsonText>> {
        if let Some(answer) = self.replay(caller, key.as_ref()).await? {
            return Ok(Replayable::Replayed(answer));
        }
        self.owned_job(caller, id).await?;
        let effect_key =
            |key: &RequestKey| EffectKey { scope: key.scope(caller), fingerprint: key.fingerprint.clone() };
        let effect = Effect { key: key.as_ref().map(effect_key), ..Effect::default() };
        match self.apply_command(id, Command::Cancel, effect).await? {
            CommandOutcome::Replayed(answer) => Ok(Replayable::Replayed(answer)),
            CommandOutcome::Changed(Some(answer)) => {
                JsonText::from_stored(answer.body).map(Replayable::New).map_err(ServiceError::internal)
            }
            CommandOutcome::Changed(None) | CommandOutcome::Unchanged => {
                let stored = self.owned_job(caller, id).await?;
                Ok(Replayable::New(self.job_document(stored).await?))
            }
        }
    }
}
