//! What the deliverer and its senders share.

use std::time::Duration;

use auris_domain::id::EndpointId;
use auris_store::ClaimedDeliveries;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::attempt_recorder::AttemptRecorder;
use super::client::GuardedClient;
use super::receivers::{Finished, Receivers};
use super::sign::SigningSecret;
use crate::Service;
use crate::error::Outcome;

/// How long a claim lasts beyond the time of two attempts: one to wait in the queue, one to be sent.
const LEASE_SLACK: Duration = Duration::from_secs(5);

pub(super) struct DeliveryContext {
    pub(super) service: Service,
    pub(super) client: GuardedClient,
    pub(super) receivers: Receivers,
    /// Slots for deliveries that are being sent, to all receivers together.
    pub(super) slots: Semaphore,
    pub(super) recorder: AttemptRecorder,
    /// Has a token for each delivery that is claimed and not yet recorded.
    pub(super) unfinished: TaskTracker,
    pub(super) stop: CancellationToken,
}

impl DeliveryContext {
    /// How long one attempt may take.
    pub(super) fn attempt_ms(&self) -> i64 {
        self.service.settings().webhooks.timeout.as_millis() as i64
    }

    pub(super) fn lease(&self) -> Duration {
        self.service.settings().webhooks.timeout * 2 + LEASE_SLACK
    }

    /// Leaves claimed deliveries to their leases.
    pub(super) fn give_up(&self, claimed: &ClaimedDeliveries) {
        for _ in &claimed.deliveries {
            self.receivers.finished(&claimed.receiver, Finished::NotAttempted, self.service.clock().uptime());
        }
    }

    /// The secrets of the endpoint, or of the project if the deliveries go to the `webhook_url` of a job.
    pub(super) async fn secrets_of(&self, claimed: &ClaimedDeliveries) -> Outcome<Vec<SigningSecret>> {
        let secrets = self.service.webhook_secrets();
        match (&claimed.secrets, claimed.receiver.parse::<EndpointId>(), claimed.deliveries.first()) {
            (Some(sealed), Ok(id), _) => secrets.of_endpoint(&id, sealed),
            (_, _, Some(delivery)) => secrets.of_project(&delivery.project_id).await,
            (_, _, None) => Ok(Vec::new()),
        }
    }
}
