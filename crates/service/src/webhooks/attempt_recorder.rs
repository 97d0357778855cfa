//! Records the ends of claims, many in one transaction: a commit costs the same for one as for a hundred.

use std::time::Duration;

use auris_domain::id::DeliveryId;
use auris_store::{AttemptRecord, StoreError};
use backon::{ExponentialBuilder, Retryable};
use tokio::sync::mpsc;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::Service;

/// Maximum number of ends written in one transaction.
const BATCH: usize = 512;
/// How often a batch is retried while the database cannot be reached.
const RETRIES: usize = 5;
/// The pause before the first retry. It doubles with each retry.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// How the claim of a delivery ended.
pub(super) enum ClaimEnd {
    Attempted(Box<AttemptRecord>),
    /// Not sent: the delivery and its claim, for another process.
    HandedBack(DeliveryId, i64),
}

/// How a claim ended, and the token that counts its delivery as unfinished in this process. The token is dropped when the
/// end has been recorded, or when recording it has failed for good. In the second case the delivery is sent once more when
/// its lease expires.
type CountedEnd = (ClaimEnd, TaskTrackerToken);

/// Takes ends of claims; one task writes them.
#[derive(Clone)]
pub(super) struct AttemptRecorder {
    sender: mpsc::Sender<CountedEnd>,
}

impl AttemptRecorder {
    pub(super) fn start(service: Service) -> Self {
        let (sender, receiver) = mpsc::channel(BATCH * 2);
        tokio::spawn(write_batches(service, receiver));
        Self { sender }
    }

    /// Waits only while more than two batches are not written yet.
    pub(super) async fn record(&self, end: ClaimEnd, token: TaskTrackerToken) {
        // The receiver is gone only when the process ends. Leases then bring every delivery back.
        let _ = self.sender.send((end, token)).await;
    }
}

async fn write_batches(service: Service, mut ends: mpsc::Receiver<CountedEnd>) {
    let mut batch = Vec::with_capacity(BATCH);
    while ends.recv_many(&mut batch, BATCH).await > 0 {
        let mut attempts = Vec::new();
        let mut handed_back = Vec::new();
        let mut tokens = Vec::new();
        for (end, token) in batch.drain(..) {
            tokens.push(token);
            match end {
                ClaimEnd::Attempted(record) => attempts.push(*record),
                ClaimEnd::HandedBack(id, claim) => handed_back.push((id, claim)),
            }
        }
        service.record_attempts(attempts).await;
        service.hand_back_deliveries(&handed_back).await;
        drop(tokens);
    }
}

impl Service {
    async fn record_attempts(&self, attempts: Vec<AttemptRecord>) {
        if attempts.is_empty() {
            return;
        }
        let Err(error) = self.record_with_retries(&attempts).await else { return };
        if let [attempt] = attempts.as_slice() {
            tracing::error!(%error, delivery.id = %attempt.delivery, "cannot record an attempt of a webhook");
            return;
        }
        // An attempt that cannot be written must not keep the others from being written.
        tracing::warn!(%error, "recording attempts of webhooks one by one");
        for attempt in attempts {
            Box::pin(self.record_attempts(vec![attempt])).await;
        }
    }

    async fn record_with_retries(&self, attempts: &[AttemptRecord]) -> Result<(), StoreError> {
        let record = || async { self.store().record_attempts(attempts.to_vec()).await };
        let backoff = ExponentialBuilder::new().with_min_delay(FIRST_PAUSE).with_max_times(RETRIES);
        let disabled = record
            .retry(backoff)
            .when(|error| matches!(error, StoreError::Unavailable(_)))
            .notify(|error, _| tracing::warn!(%error, "cannot record webhooks now; retrying"))
            .await?;
        for endpoint in disabled {
            tracing::warn!(endpoint.id = %endpoint, "a webhook endpoint was disabled");
        }
        Ok(())
    }

    async fn hand_back_deliveries(&self, claims: &[(DeliveryId, i64)]) {
        if claims.is_empty() {
            return;
        }
        if let Err(error) = self.store().hand_back_deliveries(claims, self.clock().now()).await {
            tracing::warn!(%error, "cannot hand webhooks back; they are retried when their leases end");
        }
    }
}
