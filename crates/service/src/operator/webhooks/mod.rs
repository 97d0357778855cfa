//! Webhooks: endpoints and deliveries inspected, deliveries resent, secrets shown, rotated and re-encrypted.

mod records;

use auris_domain::id::{DeliveryId, EndpointId, JobId};
use auris_domain::project::Project;
use auris_domain::webhook::EndpointStatus;
use auris_store::{DeliveryFilter, DeliveryStatus};
use serde::Serialize;

use super::error::Context;
use super::{Operator, OperatorError, Result};
use crate::secrets::MasterKeys;
use crate::settings::WebhookSettings;
use crate::webhooks::secrets::{Previous, WebhookSecrets};
use crate::webhooks::{client, send_test_message};

pub use records::{AttemptDetails, DeliveryRecord, EndpointRecord, NextAttempt, TestResult};

/// Which deliveries to list.
#[derive(Debug, Clone, Default)]
pub struct DeliveryQuery {
    pub status: Option<DeliveryStatus>,
    pub job: Option<JobId>,
    pub endpoint: Option<EndpointId>,
    pub limit: u32,
    /// The last delivery of the previous page.
    pub after: Option<DeliveryId>,
}

/// Deliveries, newest first, and whether there are older ones.
#[derive(Debug, Clone)]
pub struct DeliveryPage {
    pub deliveries: Vec<DeliveryRecord>,
    pub has_more: bool,
}

/// Where a test message goes.
#[derive(Debug, Clone)]
pub enum TestTarget {
    /// Signed with the project's secret.
    Url(String),
    /// Signed with the endpoint's own secret.
    Endpoint(EndpointId),
}

/// How many stored secrets were encrypted again.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Resealed {
    pub resealed: u64,
}

impl Operator {
    /// Lists the webhook endpoints of a project.
    pub async fn list_endpoints(&self, project: &str) -> Result<Vec<EndpointRecord>> {
        let project = self.project(project).await?;
        let endpoints = self.store.endpoint_details(&project.id).await?;
        Ok(endpoints.into_iter().map(EndpointRecord::from).collect())
    }

    /// A page of deliveries, each with its last attempt.
    pub async fn list_deliveries(&self, project: &str, query: DeliveryQuery) -> Result<DeliveryPage> {
        let project = self.project(project).await?;
        let DeliveryQuery { status, job, endpoint, limit, after } = query;
        let filter = DeliveryFilter { status, job, endpoint, before: after };
        let mut found = self.store.deliveries(&project.id, &filter, limit.saturating_add(1)).await?;
        let has_more = found.len() > limit as usize;
        found.truncate(limit as usize);
        let mut deliveries = Vec::with_capacity(found.len());
        for delivery in found {
            let last = self.store.last_attempt(&delivery.id).await?;
            deliveries.push(DeliveryRecord::new(delivery, last.into_iter().collect(), self.clock.now()));
        }
        Ok(DeliveryPage { deliveries, has_more })
    }

    /// Reads one delivery with all its attempts.
    pub async fn read_delivery(&self, project: &str, id: &DeliveryId) -> Result<DeliveryRecord> {
        let project = self.project(project).await?;
        let delivery = self.store.delivery(&project.id, id).await?;
        let delivery = delivery.ok_or_else(|| no_delivery(&project, id))?;
        let attempts = self.store.attempts(id).await?;
        Ok(DeliveryRecord::new(delivery, attempts, self.clock.now()))
    }

    /// Sends deliveries again, whatever their status. Returns how many.
    pub async fn resend_deliveries(&self, project: &str, ids: &[DeliveryId]) -> Result<u64> {
        let project = self.project(project).await?;
        for id in ids {
            self.check_receiver(&project, id).await?;
            if !self.store.resend_delivery(&project.id, id, self.clock.now()).await? {
                return Err(no_delivery(&project, id));
            }
        }
        Ok(ids.len() as u64)
    }

    /// Sends all failed deliveries again, except those to disabled endpoints. Returns how many.
    pub async fn resend_failed_deliveries(&self, project: &str) -> Result<u64> {
        let project = self.project(project).await?;
        Ok(self.store.resend_failed(&project.id, self.clock.now()).await?)
    }

    /// Enables an endpoint that was disabled.
    pub async fn enable_endpoint(&self, project: &str, id: &EndpointId) -> Result<()> {
        let project = self.project(project).await?;
        match self.store.enable_endpoint(&project.id, id).await? {
            true => Ok(()),
            false => Err(no_endpoint(&project, id)),
        }
    }

    /// Refuses to resend to an endpoint that is disabled or deleted: nothing would be sent.
    async fn check_receiver(&self, project: &Project, id: &DeliveryId) -> Result<()> {
        let delivery = self.store.delivery(&project.id, id).await?;
        let Some(endpoint) = delivery.and_then(|delivery| delivery.endpoint_id) else {
            return Ok(());
        };
        let endpoints = self.store.endpoints(&project.id).await?;
        let status = endpoints.iter().find(|known| known.id == endpoint).map(|known| known.status);
        let message = match status {
            Some(EndpointStatus::Enabled) => return Ok(()),
            Some(EndpointStatus::Disabled) => format!(
                "the endpoint of `{id}` is disabled; enable it first with `auris webhooks enable {endpoint}`"
            ),
            None => format!("the endpoint `{endpoint}` of `{id}` was deleted"),
        };
        Err(OperatorError::conflict(message))
    }
}

/// The tasks that read or write signing secrets.
impl Operator {
    /// Sends a signed test message and waits for the response.
    pub async fn test_webhook(
        &self,
        project: &str,
        target: TestTarget,
        settings: &WebhookSettings,
        keys: &MasterKeys,
    ) -> Result<TestResult> {
        let project = self.project(project).await?;
        let secrets = self.webhook_secrets(keys);
        let (url, signing) = match target {
            TestTarget::Url(url) => (url, secrets.of_project(&project.id).await?),
            TestTarget::Endpoint(id) => {
                let endpoints = self.store.endpoints(&project.id).await?;
                let endpoint = endpoints.into_iter().find(|endpoint| endpoint.id == id);
                let signing = secrets.of_endpoint_id(&id).await?;
                endpoint
                    .map(|endpoint| endpoint.url)
                    .zip(signing)
                    .ok_or_else(|| no_endpoint(&project, &id))?
            }
        };
        let client = client(settings).context(|| "cannot create the HTTP client for webhooks".into())?;
        Ok(TestResult::from(send_test_message(&client, &url, &signing, &self.clock).await))
    }

    /// The secret that signs deliveries to the `webhook_url` of a job.
    pub async fn project_secret(&self, project: &str, keys: &MasterKeys) -> Result<String> {
        let project = self.project(project).await?;
        let secrets = self.webhook_secrets(keys).of_project(&project.id).await?;
        let current = secrets.first().ok_or_else(|| OperatorError::not_found("the project has no secret"))?;
        Ok(current.reveal())
    }

    /// Gives a project a new signing secret and returns it.
    pub async fn rotate_project_secret(
        &self,
        project: &str,
        previous: Previous,
        keys: &MasterKeys,
    ) -> Result<String> {
        let project = self.project(project).await?;
        Ok(self.webhook_secrets(keys).rotate_project(&project.id, previous).await?.reveal())
    }

    /// Gives an endpoint a new signing secret and returns it.
    pub async fn rotate_endpoint_secret(
        &self,
        project: &str,
        id: &EndpointId,
        previous: Previous,
        keys: &MasterKeys,
    ) -> Result<String> {
        let project = self.project(project).await?;
        let secret = self.webhook_secrets(keys).rotate_endpoint(&project.id, id, previous).await?;
        secret.map(|secret| secret.reveal()).ok_or_else(|| no_endpoint(&project, id))
    }

    /// Encrypts every stored secret again with the current master key. Safe while the service runs.
    pub async fn reseal_secrets(&self, keys: &MasterKeys) -> Result<Resealed> {
        Ok(Resealed { resealed: self.webhook_secrets(keys).reseal().await? })
    }

    fn webhook_secrets(&self, keys: &MasterKeys) -> WebhookSecrets {
        WebhookSecrets::new(self.store.clone(), keys.clone(), self.clock.clone())
    }
}

fn no_delivery(project: &Project, id: &DeliveryId) -> OperatorError {
    let name = &project.name;
    OperatorError::not_found(format!(
        "the project `{name}` has no delivery `{id}`; `auris webhooks deliveries` lists its deliveries"
    ))
}

fn no_endpoint(project: &Project, id: &EndpointId) -> OperatorError {
    let name = &project.name;
    OperatorError::not_found(format!(
        "the project `{name}` has no endpoint `{id}`; `auris webhooks list` lists its endpoints"
    ))
}
