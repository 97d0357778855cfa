//! Signing secrets: one per endpoint, and one per project for the `webhook_url` of jobs. They are stored encrypted.

use auris_domain::id::{EndpointId, ProjectId};
use auris_domain::time::Clock;
use auris_domain::webhook::ROTATION_OVERLAP_MS;
use auris_store::{SealedPlace, SealedSecrets, Store};

use super::sign::SigningSecret;
use crate::error::Outcome;
use crate::secrets::{MasterKeys, SEALED_ANSWER};
use crate::{Service, ServiceError};

/// Reads and writes signing secrets. The command line uses it too, while the service runs.
#[derive(Clone)]
pub struct WebhookSecrets {
    store: Store,
    keys: MasterKeys,
    clock: Clock,
}

/// What happens to the secret that a rotation replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Previous {
    /// Deliveries are signed with it too, for one day.
    SignsForADay,
    /// It is no longer used, because it leaked.
    Dropped,
}

impl Service {
    pub fn webhook_secrets(&self) -> WebhookSecrets {
        WebhookSecrets::new(self.store().clone(), self.master_keys().clone(), self.clock().clone())
    }
}

impl WebhookSecrets {
    pub fn new(store: Store, keys: MasterKeys, clock: Clock) -> Self {
        Self { store, keys, clock }
    }

    /// The secrets of an endpoint: the current one and, for a day after a rotation, the previous one.
    pub fn of_endpoint(&self, id: &EndpointId, sealed: &SealedSecrets) -> Outcome<Vec<SigningSecret>> {
        self.opened(id.as_str(), sealed)
    }

    /// The secrets of the endpoint with this id; `None` if it does not exist.
    pub async fn of_endpoint_id(&self, id: &EndpointId) -> Outcome<Option<Vec<SigningSecret>>> {
        let sealed = self.store.endpoint_secrets(id).await?;
        sealed.map(|sealed| self.of_endpoint(id, &sealed)).transpose()
    }

    /// The secrets of a project. The first is created when it is first needed.
    pub async fn of_project(&self, project: &ProjectId) -> Outcome<Vec<SigningSecret>> {
        let name = name_of(project);
        let sealed = match self.store.secrets(&name).await? {
            Some(sealed) => sealed,
            None => {
                let sealed = self.sealed(&name, &SigningSecret::generate())?;
                self.store.keep_secret(&name, &sealed).await?
            }
        };
        self.opened(&name, &sealed)
    }

    /// Creates a new secret for a project.
    pub async fn rotate_project(&self, project: &ProjectId, previous: Previous) -> Outcome<SigningSecret> {
        // Creates the first secret, if there is none to replace.
        self.of_project(project).await?;
        let name = name_of(project);
        let secret = SigningSecret::generate();
        let sealed = self.sealed(&name, &secret)?;
        self.store.replace_secret(&name, &sealed, self.until(previous)).await?;
        Ok(secret)
    }

    /// Creates a new secret for an endpoint; `None` if the project has no such endpoint.
    pub async fn rotate_endpoint(
        &self,
        project: &ProjectId,
        id: &EndpointId,
        previous: Previous,
    ) -> Outcome<Option<SigningSecret>> {
        let secret = SigningSecret::generate();
        let sealed = self.sealed(id.as_str(), &secret)?;
        let found = self.store.rotate_endpoint_secret(project, id, &sealed, self.until(previous)).await?;
        Ok(found.then_some(secret))
    }

    /// Encrypts everything again with the current master key and returns how many texts. Safe while the service runs.
    pub async fn reseal(&self) -> Outcome<u64> {
        let mut count = 0;
        for (place, old) in self.store.sealed_texts().await? {
            let context = context_of(&place);
            let secret = self.keys.open(&context, &old).map_err(ServiceError::internal)?;
            let new = self.keys.seal(&context, &secret).map_err(ServiceError::internal)?;
            count += u64::from(self.store.reseal(&place, &old, &new).await?);
        }
        Ok(count)
    }

    fn until(&self, previous: Previous) -> Option<auris_domain::time::Millis> {
        match previous {
            Previous::SignsForADay => Some(self.clock.now().plus_ms(ROTATION_OVERLAP_MS)),
            Previous::Dropped => None,
        }
    }

    fn sealed(&self, context: &str, secret: &SigningSecret) -> Outcome<String> {
        self.keys.seal(context, secret.reveal().as_bytes()).map_err(ServiceError::internal)
    }

    fn opened(&self, context: &str, sealed: &SealedSecrets) -> Outcome<Vec<SigningSecret>> {
        let now = self.clock.now();
        let previous = sealed.previous.as_ref().filter(|(_, until)| *until > now);
        let texts = [Some(&sealed.current), previous.map(|(text, _)| text)];
        texts.into_iter().flatten().map(|text| self.open(context, text)).collect()
    }

    fn open(&self, context: &str, sealed: &str) -> Outcome<SigningSecret> {
        let bytes = self.keys.open(context, sealed).map_err(ServiceError::internal)?;
        let secret = std::str::from_utf8(&bytes).ok().and_then(SigningSecret::parse);
        secret.ok_or_else(|| ServiceError::internal("a decrypted text is not a signing secret"))
    }
}

fn name_of(project: &ProjectId) -> String {
    format!("webhooks of {project}")
}

/// The context that each encrypted text is bound to, so that it cannot be moved to another row.
fn context_of(place: &SealedPlace) -> String {
    match place {
        SealedPlace::EndpointSecret(id) | SealedPlace::EndpointPrevious(id) => id.to_string(),
        SealedPlace::Secret(name) | SealedPlace::SecretPrevious(name) => name.clone(),
        SealedPlace::Answer { .. } => SEALED_ANSWER.to_owned(),
    }
}
