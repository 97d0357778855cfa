//! The application: the use cases behind the HTTP API and the command line, and the loops that run steps, deliver
//! webhooks and delete expired content.

pub mod access;
mod blob_owner;
pub mod console;
pub mod engine_tasks;
mod error;
mod heavy_checks;
pub mod jobs;
mod lease_guard;
pub mod local;
mod metrics;
mod models;
mod money;
pub mod operator;
mod project_slots;
mod readiness;
mod secrets;
mod settings;
mod sized_work;
pub mod spool;
pub mod transcribe;
pub mod webhooks;
pub mod worker;

use std::sync::Arc;

use auris_domain::time::Clock;
use auris_engines::Engines;
use auris_store::{Blobs, Store, StoreError};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub use access::Caller;
pub use auris_engines::low_priority;
pub use auris_store::StoredResponse;
pub use error::ServiceError;
pub use project_slots::ProjectSlots;
pub use readiness::Readiness;
pub use secrets::{MasterKey, MasterKeys, SealError};
pub use settings::{
    DiskSettings, JobSettings, Limits, RateSettings, ServiceSettings, TranscriptionSettings, UploadSettings,
    WebhookSettings,
};

/// Everything that a use case needs. Cheap to clone.
#[derive(Clone)]
pub struct Service {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    blobs: Blobs,
    blob_owner: blob_owner::BlobOwner,
    engines: Arc<Engines>,
    clock: Clock,
    settings: ServiceSettings,
    master_key: MasterKeys,
    key_cache: access::KeyCache,
    rate_limits: access::RateLimits,
    upload_slots: access::UploadSlots,
    response_memory: access::ResponseMemory,
    sign_in_limit: access::SignInLimit,
    /// Slots for synchronous transcriptions on this machine. When none is free, a call is refused at once.
    synchronous_calls: Arc<Semaphore>,
    heavy_checks: heavy_checks::HeavyChecks,
    waveform_slots: console::WaveformSlots,
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
    /// Maximum number of uploads of all keys together, because each is an open file.
    pub max_uploads: usize,
    pub shutdown: CancellationToken,
}

impl Service {
    pub fn new(parts: Parts) -> Self {
        let concurrent_calls = parts.settings.transcription.concurrent_calls;
        let inner = Inner {
            key_cache: access::KeyCache::default(),
            rate_limits: access::RateLimits::new(parts.settings.rates),
            upload_slots: access::UploadSlots::new(parts.settings.rates.uploads, parts.max_uploads),
            response_memory: access::ResponseMemory::default(),
            sign_in_limit: access::SignInLimit::default(),
            synchronous_calls: Arc::new(Semaphore::new(concurrent_calls)),
            heavy_checks: heavy_checks::HeavyChecks::default(),
            waveform_slots: console::WaveformSlots::default(),
            store: parts.store,
            blobs: parts.blobs,
            blob_owner: blob_owner::BlobOwner::new(parts.clock.now().timestamp()),
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

    /// Returns when the process is stopping and the time that its running requests may still take is over.
    pub async fn drained(&self) {
        self.shutdown().cancelled().await;
        tokio::time::sleep(self.settings().jobs.drain).await;
    }

    pub(crate) fn store(&self) -> &Store {
        &self.inner.store
    }

    pub(crate) fn blobs(&self) -> &Blobs {
        &self.inner.blobs
    }

    /// Whether the blobs belong to the database. Otherwise nothing may be deleted from them.
    pub(crate) async fn owns_blobs(&self) -> Result<bool, StoreError> {
        self.inner.blob_owner.is_ours(self.store(), self.blobs(), self.clock().uptime()).await
    }

    /// The same for work that writes blobs. It is frequent, so a check is trusted for a few seconds.
    pub(crate) async fn has_own_blobs(&self) -> Result<bool, StoreError> {
        self.inner.blob_owner.were_ours(self.store(), self.blobs(), self.clock().uptime()).await
    }

    /// The blob store to write to. Fails unless it is certain that the blobs belong to the database: a blob beside those
    /// of another installation would make these look like ours, and one on a disk that is not mounted would be lost.
    pub(crate) async fn own_blobs(&self) -> error::Outcome<&Blobs> {
        match self.has_own_blobs().await? {
            true => Ok(self.blobs()),
            false => Err(ServiceError::Unavailable("the blobs do not belong to this database".into())),
        }
    }

    pub(crate) fn engines(&self) -> &Arc<Engines> {
        &self.inner.engines
    }

    /// The keys that encrypt stored secrets.
    pub fn master_keys(&self) -> &MasterKeys {
        &self.inner.master_key
    }

    pub(crate) fn key_cache(&self) -> &access::KeyCache {
        &self.inner.key_cache
    }

    pub(crate) fn rate_limits(&self) -> &access::RateLimits {
        &self.inner.rate_limits
    }

    pub(crate) fn upload_slots(&self) -> &access::UploadSlots {
        &self.inner.upload_slots
    }

    pub(crate) fn response_memory(&self) -> &access::ResponseMemory {
        &self.inner.response_memory
    }

    pub(crate) fn sign_in_limit(&self) -> &access::SignInLimit {
        &self.inner.sign_in_limit
    }

    pub(crate) fn synchronous_calls(&self) -> &Arc<Semaphore> {
        &self.inner.synchronous_calls
    }

    pub(crate) fn waveform_slots(&self) -> &console::WaveformSlots {
        &self.inner.waveform_slots
    }

    pub(crate) fn heavy_checks(&self) -> &heavy_checks::HeavyChecks {
        &self.inner.heavy_checks
    }
}
