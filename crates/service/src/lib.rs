//! The application: the use cases that HTTP calls, and the loops that run steps, deliver webhooks and expire content.

pub mod analysis;
pub mod artifacts;
pub mod auth;
mod document;
pub mod endpoints;
mod error;
pub mod events;
mod holds;
pub mod idempotency;
pub mod jobs;
mod metrics;
pub mod models;
pub mod rate;
pub mod retention;
pub mod runner;
pub mod seal;
mod settings;
pub mod speakers;
pub mod speech;
pub mod steps;
pub mod submit_analysis;
pub mod submit_transcription;
pub mod transcribe;
pub mod upload;
pub mod webhooks;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use auris_domain::time::Clock;
use auris_engines::Engines;
use auris_store::{Blobs, Store};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub use auris_store::StoredAnswer;
pub use auth::Caller;
pub use error::ServiceError;
pub use seal::{MasterKey, MasterKeys};
pub use settings::{
    JobSettings, Limits, RateSettings, ServiceSettings, TranscriptionSettings, WebhookSettings,
};

const PATIENCE: Duration = Duration::from_secs(2);

/// Everything a use case needs; cheap to clone.
#[derive(Clone)]
pub struct Service(Arc<Inner>);

/// What a service is made of; read through the service itself.
pub struct Inner {
    pub store: Store,
    pub blobs: Blobs,
    pub engines: Arc<Engines>,
    pub clock: Clock,
    pub settings: ServiceSettings,
    pub master_key: MasterKeys,
    keys: auth::KeyCache,
    rates: rate::RateLimits,
    /// Places for synchronous transcriptions on this machine; more are refused at once.
    synchronous: Arc<Semaphore>,
    /// Cancelled when the process was asked to stop and still answers: no new work, and the balancer is told.
    leaving: CancellationToken,
    /// Cancelled when the process stops: streams end, nothing new starts.
    shutdown: CancellationToken,
}

impl Deref for Service {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

/// The parts that `app` has made, from which a service is built.
pub struct Parts {
    pub store: Store,
    pub blobs: Blobs,
    pub engines: Arc<Engines>,
    pub clock: Clock,
    pub settings: ServiceSettings,
    pub master_key: MasterKeys,
    pub shutdown: CancellationToken,
}

/// Whether a balancer may send requests here, and why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    Ready,
    ShuttingDown,
    NoDatabase,
    NoBlobs,
}

impl Service {
    pub fn new(parts: Parts) -> Self {
        let rates = rate::RateLimits::new(parts.settings.rates);
        let synchronous = Arc::new(Semaphore::new(parts.settings.transcription.concurrent_calls));
        Self(Arc::new(Inner {
            store: parts.store,
            blobs: parts.blobs,
            engines: parts.engines,
            clock: parts.clock,
            settings: parts.settings,
            master_key: parts.master_key,
            keys: auth::KeyCache::default(),
            rates,
            synchronous,
            leaving: CancellationToken::new(),
            shutdown: parts.shutdown,
        }))
    }

    pub fn shutdown(&self) -> &CancellationToken {
        &self.shutdown
    }

    pub fn leaving(&self) -> &CancellationToken {
        &self.leaving
    }

    /// Whether this node can take work now: its database and its blobs answer and it is not about to stop.
    pub async fn readiness(&self) -> Readiness {
        if self.leaving.is_cancelled() || self.shutdown.is_cancelled() {
            return Readiness::ShuttingDown;
        }
        let (database, blobs) = tokio::join!(soon(self.store.ping()), soon(self.blobs.ping()));
        match (database, blobs) {
            (true, true) => Readiness::Ready,
            (false, _) => Readiness::NoDatabase,
            (true, false) => Readiness::NoBlobs,
        }
    }
}

/// What is away makes its callers wait long; who asks for readiness wants to know soon.
async fn soon(answer: impl Future<Output = Result<(), auris_store::StoreError>>) -> bool {
    matches!(tokio::time::timeout(PATIENCE, answer).await, Ok(Ok(())))
}
