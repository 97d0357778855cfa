//! Webhooks: deliveries are claimed lane by lane, signed, sent through the guarded client, and recorded.

pub mod client;
mod deliver;
pub mod guard;
mod lanes;
mod record;
pub mod secrets;
pub mod sign;
mod trial;

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use auris_domain::id::EndpointId;
use auris_domain::time::Millis;
use auris_store::{ClaimedLane, Delivery, crash_point};
use futures::future::{BoxFuture, Either, select};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use self::client::{ClientSettings, GuardedClient, Names, SendError};
use self::guard::Guard;
use self::lanes::{Finished, Lanes};
use self::record::{Note, Recorder};
use self::sign::SigningSecret;
use crate::Service;
use crate::WebhookSettings;
use crate::error::Outcome;

pub use self::trial::{Trial, try_out};

/// Claimed deliveries of all lanes together, as a multiple of those that are sent at once: so much that a quick receiver
/// which begins to hang holds a small part of it, and the others go on.
const AHEAD: usize = 32;
/// What a claim lasts beyond the two tries' time that it may wait and be sent in.
const LEASE_SLACK: Duration = Duration::from_secs(5);

/// The client of these settings.
pub fn client(settings: &WebhookSettings) -> Result<GuardedClient, SendError> {
    GuardedClient::new(ClientSettings {
        guard: Guard::new(settings.allowed_networks.clone()),
        names: Names::System,
        extra_certificates: settings.extra_certificates.clone(),
        connect_timeout: settings.connect_timeout,
        timeout: settings.timeout,
    })
}

/// One process that delivers. Cheap to clone.
#[derive(Clone)]
pub struct Deliverer(Arc<Inner>);

struct Inner {
    service: Service,
    client: GuardedClient,
    lanes: Lanes,
    /// Deliveries that are sent at once, of all lanes together.
    places: Arc<Semaphore>,
    recorder: Recorder,
    /// A token for each delivery that was claimed and is not written down yet.
    in_hand: TaskTracker,
    stop: CancellationToken,
}

/// What a look at the waiting deliveries came to.
struct Look {
    claimed: usize,
    next_look: Option<Millis>,
}

impl Deliverer {
    /// Must be called where tasks can be started.
    pub fn new(service: Service, client: GuardedClient, stop: CancellationToken) -> Self {
        let settings = &service.settings.webhooks;
        Self(Arc::new(Inner {
            lanes: Lanes::new(settings.per_endpoint),
            places: Arc::new(Semaphore::new(settings.concurrency)),
            recorder: Recorder::start(service.clone()),
            in_hand: TaskTracker::new(),
            service,
            client,
            stop,
        }))
    }

    /// Delivers until told to stop; then what is being sent may end, and the rest is handed back.
    pub fn run(self) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let mut waiter = self.0.service.store.notify().deliveries_waiter();
            while !self.0.stop.is_cancelled() {
                let wait = match self.look().await {
                    Ok(look) => self.patience(look.next_look),
                    Err(error) => {
                        tracing::warn!(%error, "cannot look for webhooks now");
                        self.0.service.settings.jobs.poll
                    }
                };
                tokio::select! {
                    () = waiter.changed(wait) => {}
                    () = self.0.lanes.freed.notified() => {}
                    () = self.0.stop.cancelled() => {}
                }
            }
            self.0.in_hand.close();
            let drain = self.0.service.settings.jobs.drain;
            if tokio::time::timeout(drain, self.0.in_hand.wait()).await.is_err() {
                tracing::info!(
                    count = self.0.in_hand.len(),
                    "webhooks on their way are left to their leases"
                );
            }
        })
    }

    /// Delivers everything that is due now, and returns when it is recorded: how many tries there were.
    pub async fn deliver_due(&self) -> Outcome<usize> {
        let mut tries = 0;
        loop {
            let look = self.look().await?;
            self.0.in_hand.close();
            self.0.in_hand.wait().await;
            self.0.in_hand.reopen();
            if look.claimed == 0 {
                return Ok(tries);
            }
            tries += look.claimed;
        }
    }

    /// Claims what is due, as far as there is room, and starts it.
    async fn look(&self) -> Outcome<Look> {
        let inner = &self.0;
        let waiting = inner.service.store.lanes().await?;
        let now = inner.service.clock.now();
        let room = (inner.service.settings.webhooks.concurrency * AHEAD).saturating_sub(inner.in_hand.len());
        let wanted = inner.lanes.wanted(waiting, now, room);
        let mut look = Look { claimed: 0, next_look: wanted.next_look };
        if wanted.claims.is_empty() {
            return Ok(look);
        }
        let lease_until = now.plus_ms(inner.lease().as_millis() as i64);
        let claimed = inner.service.store.claim_deliveries(&wanted.claims, now, lease_until).await?;
        for claim in &wanted.claims {
            let got = claimed.iter().find(|lane| lane.lane == claim.lane);
            inner.lanes.claimed(claim, got.map_or(0, |lane| lane.deliveries.len()));
        }
        for lane in claimed {
            look.claimed += lane.deliveries.len();
            self.start(lane).await;
        }
        Ok(look)
    }

    /// How long nothing will be due.
    fn patience(&self, next_look: Option<Millis>) -> Duration {
        let poll = self.0.service.settings.jobs.poll;
        let now = self.0.service.clock.now();
        next_look.map_or(poll, |at| Duration::from_millis(at.since(now).max(1) as u64).min(poll))
    }

    async fn start(&self, lane: ClaimedLane) {
        let secrets = match self.0.secrets_of(&lane).await {
            Ok(secrets) => secrets,
            Err(error) => {
                tracing::error!(%error, lane = lane.lane, "webhooks cannot be signed; they wait for their leases");
                for _ in &lane.deliveries {
                    self.0.lanes.finished(&lane.lane, Finished::Untried, self.0.service.clock.now());
                }
                return;
            }
        };
        let (secrets, name): (Arc<[SigningSecret]>, Arc<str>) = (secrets.into(), lane.lane.into());
        let places = self.0.lanes.places(&name);
        // As many tasks as can send at once, not one for each delivery: thousands that wait are only their rows.
        let senders = lane.deliveries.len().min(self.0.service.settings.webhooks.per_endpoint);
        let claimed = lane.deliveries.into_iter().map(|delivery| (delivery, self.0.in_hand.token()));
        let queue = Queue::new(claimed);
        for _ in 0..senders {
            let (inner, queue, name) = (Arc::clone(&self.0), queue.clone(), Arc::clone(&name));
            let (places, secrets) = (Arc::clone(&places), Arc::clone(&secrets));
            tokio::spawn(async move {
                while let Some((delivery, token)) = queue.next() {
                    let turn = pin!(inner.take_turn(&name, &places, &secrets, delivery));
                    let note = match select(turn, pin!(inner.stop.cancelled())).await {
                        Either::Left((note, _)) => note,
                        Either::Right(((), turn)) => {
                            inner.hand_back(&name, &queue).await;
                            turn.await
                        }
                    };
                    inner.recorder.note(note, token).await;
                }
            });
        }
    }
}

/// Claimed deliveries of one lane, which its senders take one after the other.
#[derive(Clone)]
struct Queue(Arc<Mutex<VecDeque<(Delivery, TaskTrackerToken)>>>);

impl Queue {
    fn new(claimed: impl Iterator<Item = (Delivery, TaskTrackerToken)>) -> Self {
        Self(Arc::new(Mutex::new(claimed.collect())))
    }

    fn next(&self) -> Option<(Delivery, TaskTrackerToken)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

impl Inner {
    /// Waits for a place, in the lane first, and sends. What cannot be sent in time is handed back.
    async fn take_turn(
        &self,
        lane: &str,
        places: &Semaphore,
        secrets: &[SigningSecret],
        delivery: Delivery,
    ) -> Note {
        let turn = async { (places.acquire().await, self.places.acquire().await) };
        let turn = tokio::select! {
            turn = turn => Some(turn),
            () = self.stop.cancelled() => None,
        };
        let now = self.service.clock.now();
        let ends_late = delivery.lease_until.is_none_or(|until| until.since(now) < self.try_ms());
        if turn.is_none() || self.stop.is_cancelled() || ends_late || self.lanes.is_closed(lane, now) {
            self.lanes.finished(lane, Finished::Untried, now);
            return Note::HandBack(delivery.id, delivery.claim);
        }
        let tried = self.service.try_delivery(&self.client, secrets, delivery).await;
        self.lanes.finished(lane, tried.finished, self.service.clock.now());
        crash_point("webhooks.before_record");
        Note::Attempt(Box::new(tried.record))
    }

    /// Gives back what nobody has begun to send, at once: a receiver that hangs must not keep it until its lease ends.
    async fn hand_back(&self, lane: &str, queue: &Queue) {
        while let Some((delivery, token)) = queue.next() {
            self.lanes.finished(lane, Finished::Untried, self.service.clock.now());
            self.recorder.note(Note::HandBack(delivery.id, delivery.claim), token).await;
        }
    }

    async fn secrets_of(&self, lane: &ClaimedLane) -> Outcome<Vec<SigningSecret>> {
        let secrets = self.service.webhook_secrets();
        match (&lane.secrets, lane.lane.parse::<EndpointId>(), lane.deliveries.first()) {
            (Some(sealed), Ok(id), _) => secrets.of_endpoint(&id, sealed),
            (_, _, Some(delivery)) => secrets.of_project(&delivery.project_id).await,
            (_, _, None) => Ok(Vec::new()),
        }
    }

    fn try_ms(&self) -> i64 {
        self.service.settings.webhooks.timeout.as_millis() as i64
    }

    fn lease(&self) -> Duration {
        self.service.settings.webhooks.timeout * 2 + LEASE_SLACK
    }
}
