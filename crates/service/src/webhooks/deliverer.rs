//! The loop that delivers webhooks: it claims what is due for each receiver and hands it to senders.

use std::sync::Arc;
use std::time::Duration;

use auris_domain::time::Millis;
use auris_store::ClaimedDeliveries;
use futures::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::attempt_recorder::AttemptRecorder;
use super::client::GuardedClient;
use super::delivery_context::DeliveryContext;
use super::receivers::{Now, Receivers};
use super::senders::{SendQueue, Sender};
use crate::Service;
use crate::error::Outcome;

/// Upper limit on claimed deliveries, as a multiple of `concurrency`. High enough that one receiver that suddenly hangs
/// can hold only a small share of it.
const CLAIMED_PER_SLOT: usize = 32;

/// A claim that ends later than this beyond its usual length was made before the clock was set back: clocks of nodes
/// differ by less.
const CLOCK_DIFFERENCE_MS: i64 = 600_000;

/// The webhook deliverer of one process. Cheap to clone.
#[derive(Clone)]
pub struct Deliverer {
    context: Arc<DeliveryContext>,
}

/// The result of one look for due deliveries.
struct Round {
    claimed: usize,
    /// When the next delivery is due, if known.
    next_due: Option<Millis>,
}

impl Deliverer {
    /// Must be called inside a Tokio runtime, because it spawns a task.
    pub fn new(service: Service, client: GuardedClient, stop: CancellationToken) -> Self {
        let settings = &service.settings().webhooks;
        let context = DeliveryContext {
            receivers: Receivers::new(settings.per_endpoint),
            slots: Semaphore::new(settings.concurrency),
            recorder: AttemptRecorder::start(service.clone()),
            unfinished: TaskTracker::new(),
            service,
            client,
            stop,
        };
        Self { context: Arc::new(context) }
    }

    /// Delivers until it is stopped. Then deliveries that are being sent may finish, and the rest is handed back.
    pub fn run(self) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            self.release_far_claims().await;
            let mut waiter = self.context.service.store().wakeups().deliveries_waiter();
            while !self.context.stop.is_cancelled() {
                let wait = self.deliver_round().await;
                tokio::select! {
                    () = waiter.changed(wait) => {}
                    () = self.context.receivers.freed.notified() => {}
                    () = self.context.stop.cancelled() => {}
                }
            }
            self.drain().await;
        })
    }

    /// Makes due what a process claimed that died before the clock was set back. Otherwise it would wait until the clock
    /// has caught up.
    async fn release_far_claims(&self) {
        let service = &self.context.service;
        let now = service.clock().now();
        let lease_ms = self.context.lease().as_millis() as i64;
        let latest = now.plus_ms(lease_ms.saturating_add(CLOCK_DIFFERENCE_MS));
        match service.store().release_deliveries_leased_after(latest, now).await {
            Ok(0) => {}
            Ok(count) => tracing::warn!(count, "the clock was set back; claimed webhooks are due again"),
            Err(error) => tracing::warn!(%error, "cannot look for webhooks that were claimed in the future"),
        }
    }

    /// Delivers everything that is due now, waits until it is recorded, and returns the number of attempts. For tests.
    #[doc(hidden)]
    pub async fn deliver_due(&self) -> Outcome<usize> {
        let mut attempts = 0;
        loop {
            let round = self.claim_due().await?;
            self.context.unfinished.close();
            self.context.unfinished.wait().await;
            self.context.unfinished.reopen();
            if round.claimed == 0 {
                return Ok(attempts);
            }
            attempts += round.claimed;
        }
    }

    /// Starts what is due and returns how long to wait for more.
    async fn deliver_round(&self) -> Duration {
        let poll = self.context.service.settings().jobs.poll;
        match self.claim_due().await {
            Ok(Round { next_due: Some(at), .. }) => {
                let now = self.context.service.clock().now();
                Duration::from_millis(at.since(now).max(1).unsigned_abs()).min(poll)
            }
            Ok(Round { next_due: None, .. }) => poll,
            Err(error) => {
                tracing::warn!(%error, "cannot look for webhooks now");
                poll
            }
        }
    }

    /// Claims what is due, within the limit, and starts to send it.
    async fn claim_due(&self) -> Outcome<Round> {
        let DeliveryContext { service, receivers, unfinished, .. } = &*self.context;
        let waiting = service.store().waiting_receivers().await?;
        let now = service.clock().now();
        let limit = service.settings().webhooks.concurrency * CLAIMED_PER_SLOT;
        let moment = Now { wall: now, uptime: service.clock().uptime() };
        let wanted = receivers.wanted(waiting, moment, limit.saturating_sub(unfinished.len()));
        let mut round = Round { claimed: 0, next_due: wanted.next_due };
        if wanted.claims.is_empty() {
            return Ok(round);
        }
        let lease_until = now.plus_ms(self.context.lease().as_millis() as i64);
        let claimed = service.store().claim_deliveries(&wanted.claims, now, lease_until).await?;
        for claim in &wanted.claims {
            let got = claimed.iter().find(|got| got.receiver == claim.receiver);
            receivers.claimed(claim, got.map_or(0, |got| got.deliveries.len()));
        }
        for claimed in claimed {
            round.claimed += claimed.deliveries.len();
            self.start_senders(claimed).await;
        }
        Ok(round)
    }

    /// Starts as many senders as may send to the receiver at once, not one per delivery: thousands of waiting
    /// deliveries then cost only their rows.
    async fn start_senders(&self, claimed: ClaimedDeliveries) {
        let secrets = match self.context.secrets_of(&claimed).await {
            Ok(secrets) => secrets,
            Err(error) => {
                tracing::error!(%error, receiver = claimed.receiver, "cannot sign webhooks; they are retried when their leases end");
                return self.context.give_up(&claimed);
            }
        };
        let senders = claimed.deliveries.len().min(self.context.service.settings().webhooks.per_endpoint);
        let deliveries =
            claimed.deliveries.into_iter().map(|delivery| (delivery, self.context.unfinished.token()));
        let sender = Sender {
            context: Arc::clone(&self.context),
            slots: self.context.receivers.slots(&claimed.receiver),
            receiver: claimed.receiver.into(),
            secrets: secrets.into(),
            queue: SendQueue::new(deliveries),
        };
        for _ in 0..senders {
            tokio::spawn(sender.clone().run());
        }
    }

    /// Waits for the deliveries that are being sent.
    async fn drain(&self) {
        self.context.unfinished.close();
        let limit = self.context.service.settings().jobs.drain;
        if tokio::time::timeout(limit, self.context.unfinished.wait()).await.is_err() {
            let count = self.context.unfinished.len();
            tracing::info!(
                count,
                "some webhooks are still being sent; they are retried when their leases end"
            );
        }
    }
}
