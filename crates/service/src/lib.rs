//! The application: the use cases behind the HTTP API and the command line, and the loops that run steps, deliver
//! webhooks and delete expired content.

pub mod access;
pub mod engine_tasks;
mod error;
pub mod jobs;
mod lease_guard;
pub mod local;
mod metrics;
mod models;
mod money;
pub mod operator;
pub mod runner;
mod secrets;
mod settings;
mod sized_work;
pub mod transcribe;
pub mod webhooks;

use std::sync::Arc;
use std::time::Duration;

use auris_domain::time::Clock;
use auris_engines::Engines;
use auris_store::{Blobs, Store};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub use access::Caller;
pub use auris_store::StoredAnswer;
pub use error::ServiceError;
pub use secrets::{MasterKey, MasterKeys, SealError};
pub use settings::{
    JobSettings, Limits, RateSettings, ServiceSettings, TranscriptionSettings, WebhookSettings,
};

/// How long the database and the blob store may take to answer a readiness check.
const PING_TIMEOUT: Duration = Duration::from_secs(2);

/// Everything that a use case needs. Cheap to clone.
#[derive(Clone)]
pub struct Service {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    blobs: Blobs,
    engines: Arc<Engines>,
    clock: Clock,
    settings: ServiceSettings,
    master_key: MasterKeys,
    key_cache: access::KeyCache,
    rate_limits: access::RateLimits,
    /// Slots for synchronous transcriptions on this machine. When none is free, a call is refused at once.
    synchronous_calls: Arc<Semaphore>,
    /// Cancelled when the process was asked to stop but still answers requests: it takes no new work, and readiness
    /// fails so that load balancers send requests elsewhere.
    leaving: CancellationToken,
    /// Cancelled when the process stops: streams end and nothing new starts.
    shutdown: CancellationToken,
}

/// The parts that a service is built from.
pub struct Parts {
    pub store: Store,
    pub blobs: Blobs,
    pub engines: Arc<Engines>,
    pub clock: Clock,
    pub settings: ServiceSettings,
    pub master_key: MasterKeys,
    pub shutdown: CancellationToken,
}

/// Whether a load balancer may send requests to this node, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    Ready,
    ShuttingDown,
    NoDatabase,
    NoBlobs,
}

impl Service {
    pub fn new(parts: Parts) -> Self {
        let concurrent_calls = parts.settings.transcription.concurrent_calls;
        let inner = Inner {
            key_cache: access::KeyCache::default(),
            rate_limits: access::RateLimits::new(parts.settings.rates),
            synchronous_calls: Arc::new(Semaphore::new(concurrent_calls)),
            store: parts.store,
            blobs: parts.blobs,
            engines: parts.engines,
            clock: parts.clock,
            settings: parts.settings,
            master_key: parts.master_key,
            leaving: CancellationToken::new(),
            shutdown: parts.shutdown,
        };
        Self { inner: Arc::new(inner) }
    }

    pub fn clock(&self) -> &Clock {
        &self.inner.clock
    }

    pub fn settings(&self) -> &ServiceSettings {
        &self.inner.settings
    }

    /// Cancelled when the process stops.
    pub fn shutdown(&self) -> &CancellationToken {
        &self.inner.shutdown
    }

    /// Cancelled when the process was asked to stop but still answers requests.
    pub fn leaving(&self) -> &CancellationToken {
        &self.inner.leaving
    }

    pub(crate) fn store(&self) -> &Store {
        &self.inner.store
    }

    pub(crate) fn blobs(&self) -> &Blobs {
        &self.inner.blobs
    }

    pub(crate) fn engines(&self) -> &Arc<Engines> {
        &self.inner.engines
    }

    pub(crate) fn master_key(&self) -> &MasterKeys {
        &self.inner.master_key
    }

    pub(crate) fn key_cache(&self) -> &access::KeyCache {
        &self.inner.key_cache
    }

    pub(crate) fn rate_limits(&self) -> &access::RateLimits {
        &self.inner.rate_limits
    }

    pub(crate) fn synchronous_calls(&self) -> &Arc<Semaphore> {
        &self.inner.synchronous_calls
    }

    /// Whether this node can accept work: its database and blob store answer, and it is not stopping.
    pub async fn readiness(&self) -> Readiness {
        if self.leaving().is_cancelled() || self.shutdown().is_cancelled() {
            return Readiness::ShuttingDown;
        }
        let (database, blobs) = tokio::join!(answers(self.store().ping()), answers(self.blobs().ping()));
        match (database, blobs) {
            (true, true) => Readiness::Ready,
            (false, _) => Readiness::NoDatabase,
            (true, false) => Readiness::NoBlobs,
        }
    }
}

/// Whether a ping succeeds in time. A store that is down can keep its callers waiting for much longer.
async fn answers(ping: impl Future<Output = Result<(), auris_store::StoreError>>) -> bool {
    matches!(tokio::time::timeout(PING_TIMEOUT, ping).await, Ok(Ok(())))
}
