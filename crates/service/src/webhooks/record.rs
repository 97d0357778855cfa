//! Records what became of tries, many in one transaction: a commit costs as much for one as for a hundred.

use std::time::Duration;

use auris_domain::id::DeliveryId;
use auris_store::{AttemptRecord, StoreError};
use tokio::sync::mpsc;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::Service;

/// The most that is written in one transaction.
const BATCH: usize = 512;
/// How often a batch is tried while the database cannot be reached, and the first pause between, which doubles.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(100);

/// What is to be written of a claim.
pub(super) enum Note {
    Attempt(Box<AttemptRecord>),
    HandBack(DeliveryId, i64),
}

/// A note, and what counts its delivery among those in hand: let go when the note is written, or given up. Then the lease
/// brings the delivery back, and it is sent once more.
type Noted = (Note, TaskTrackerToken);

/// Where tries are told; one task writes them down.
#[derive(Clone)]
pub(super) struct Recorder {
    sender: mpsc::Sender<Noted>,
}

impl Recorder {
    pub(super) fn start(service: Service) -> Self {
        let (sender, receiver) = mpsc::channel(BATCH * 2);
        tokio::spawn(write_down(service, receiver));
        Self { sender }
    }

    /// Waits only where more lies unwritten than a batch or two.
    pub(super) async fn note(&self, note: Note, token: TaskTrackerToken) {
        // Nobody hears it only at the end of the process, and then leases bring everything back.
        let _ = self.sender.send((note, token)).await;
    }
}

async fn write_down(service: Service, mut notes: mpsc::Receiver<Noted>) {
    let mut batch = Vec::with_capacity(BATCH);
    while notes.recv_many(&mut batch, BATCH).await > 0 {
        let (mut attempts, mut returned, mut tokens) = (Vec::new(), Vec::new(), Vec::new());
        for (note, token) in batch.drain(..) {
            tokens.push(token);
            match note {
                Note::Attempt(record) => attempts.push(*record),
                Note::HandBack(id, claim) => returned.push((id, claim)),
            }
        }
        service.record_tries(attempts).await;
        service.hand_tries_back(&returned).await;
        drop(tokens);
    }
}

impl Service {
    async fn record_tries(&self, attempts: Vec<AttemptRecord>) {
        if attempts.is_empty() {
            return;
        }
        match self.record_tries_patiently(&attempts).await {
            Ok(()) => {}
            Err(error) if attempts.len() == 1 => {
                tracing::error!(%error, delivery.id = %attempts[0].delivery, "a try of a webhook cannot be recorded");
            }
            Err(error) => {
                // One that cannot be written must not take the others with it.
                tracing::warn!(%error, "tries of webhooks are recorded one by one");
                for attempt in attempts {
                    Box::pin(self.record_tries(vec![attempt])).await;
                }
            }
        }
    }

    async fn record_tries_patiently(&self, attempts: &[AttemptRecord]) -> Result<(), StoreError> {
        let mut pause = PAUSE;
        for _ in 1..TRIES {
            match self.store.record_attempts(attempts.to_vec()).await {
                Ok(disabled) => {
                    for endpoint in disabled {
                        tracing::warn!(endpoint.id = %endpoint, "a webhook endpoint was disabled");
                    }
                    return Ok(());
                }
                Err(StoreError::Unavailable(error)) => tracing::warn!(%error, "cannot record webhooks now"),
                Err(error) => return Err(error),
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        self.store.record_attempts(attempts.to_vec()).await.map(drop)
    }

    async fn hand_tries_back(&self, claims: &[(DeliveryId, i64)]) {
        if claims.is_empty() {
            return;
        }
        if let Err(error) = self.store.hand_back_deliveries(claims, self.clock.now()).await {
            tracing::warn!(%error, "cannot hand webhooks back; their leases will");
        }
    }
}
