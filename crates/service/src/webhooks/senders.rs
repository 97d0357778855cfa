//! Senders: tasks that take the claimed deliveries of one receiver from a queue and send them.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;

use auris_domain::time::Millis;
use auris_store::{Delivery, crash_point};
use futures::future::{Either, select};
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::attempt_recorder::ClaimEnd;
use super::delivery_context::DeliveryContext;
use super::receivers::Finished;
use super::sign::SigningSecret;

/// One of the senders of a receiver. Its clones share a queue.
#[derive(Clone)]
pub(super) struct Sender {
    pub(super) context: Arc<DeliveryContext>,
    pub(super) receiver: Arc<str>,
    /// Slots for deliveries that are being sent to this receiver.
    pub(super) slots: Arc<Semaphore>,
    pub(super) secrets: Arc<[SigningSecret]>,
    pub(super) queue: SendQueue,
}

/// Claimed deliveries of one receiver, in the order in which they are sent. The token of a delivery is dropped when its
/// end is recorded.
#[derive(Clone)]
pub(super) struct SendQueue {
    deliveries: Arc<Mutex<VecDeque<(Delivery, TaskTrackerToken)>>>,
}

impl SendQueue {
    pub(super) fn new(claimed: impl Iterator<Item = (Delivery, TaskTrackerToken)>) -> Self {
        Self { deliveries: Arc::new(Mutex::new(claimed.collect())) }
    }

    fn next(&self) -> Option<(Delivery, TaskTrackerToken)> {
        self.deliveries.lock().pop_front()
    }
}

impl Sender {
    /// Sends until the queue is empty. When the process stops, the sender hands back what is still queued and finishes
    /// the delivery that it is sending.
    pub(super) async fn run(self) {
        while let Some((delivery, token)) = self.queue.next() {
            let sending = pin!(self.send(delivery));
            let stopped = pin!(self.context.stop.cancelled());
            let end = match select(sending, stopped).await {
                Either::Left((end, _)) => end,
                Either::Right(((), sending)) => {
                    self.hand_back_queue().await;
                    sending.await
                }
            };
            self.context.recorder.record(end, token).await;
        }
    }

    /// Waits for a slot and sends. A delivery that cannot be sent in time is handed back.
    async fn send(&self, delivery: Delivery) -> ClaimEnd {
        // The receiver's slot first: waiting for a slow receiver must not take a slot from the others.
        let slots = async { (self.slots.acquire().await, self.context.slots.acquire().await) };
        let slots = tokio::select! {
            slots = slots => Some(slots),
            () = self.context.stop.cancelled() => None,
        };
        if slots.is_none() || !self.may_send(&delivery) {
            return self.hand_back(&delivery);
        }
        let service = &self.context.service;
        let attempt = service.attempt_delivery(&self.context.client, &self.secrets, delivery).await;
        self.context.receivers.finished(&self.receiver, attempt.finished, service.clock().uptime());
        crash_point("webhooks.before_record");
        ClaimEnd::Attempted(Box::new(attempt.record))
    }

    /// Whether an attempt that starts now ends before the lease, at a receiver that is not paused.
    fn may_send(&self, delivery: &Delivery) -> bool {
        let clock = self.context.service.clock();
        let left = |until: Millis| until.since(clock.now());
        let in_time = delivery.lease_until.is_some_and(|until| left(until) >= self.context.attempt_ms());
        let paused = self.context.receivers.is_paused(&self.receiver, clock.uptime());
        in_time && !paused && !self.context.stop.is_cancelled()
    }

    fn hand_back(&self, delivery: &Delivery) -> ClaimEnd {
        let now = self.context.service.clock().uptime();
        self.context.receivers.finished(&self.receiver, Finished::NotAttempted, now);
        ClaimEnd::HandedBack(delivery.id.clone(), delivery.claim)
    }

    /// Hands back at once what no sender has started: a receiver that hangs must not keep it until its lease ends.
    async fn hand_back_queue(&self) {
        while let Some((delivery, token)) = self.queue.next() {
            self.context.recorder.record(self.hand_back(&delivery), token).await;
        }
    }
}
