//! The settings of the service, checked by `app`.

use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;

/// All settings of the service.
#[derive(Debug, Clone)]
pub struct ServiceSettings {
    /// The folder that uploads are written to while they arrive.
    pub spool_dir: PathBuf,
    pub disk: DiskSettings,
    pub transcription: TranscriptionSettings,
    pub jobs: JobSettings,
    pub rates: RateSettings,
    pub webhooks: WebhookSettings,
    /// How long a signed URL of an artifact is valid.
    pub signed_url_seconds: i64,
}

/// How much space the disks of this machine must have.
#[derive(Debug, Clone)]
pub struct DiskSettings {
    /// The folders of the installation; they can be on different file systems.
    pub folders: Vec<PathBuf>,
    /// With less free space this node is not ready; 0 means no check.
    pub min_free_bytes: u64,
}

/// Synchronous transcriptions.
#[derive(Debug, Clone, Copy)]
pub struct TranscriptionSettings {
    /// A synchronous call that takes longer fails.
    pub deadline: Duration,
    /// Maximum number of concurrent synchronous calls on this machine.
    pub concurrent_calls: usize,
}

/// Jobs and the loops that run them.
#[derive(Debug, Clone, Copy)]
pub struct JobSettings {
    /// Maximum number of steps that this process runs at once, beside those in extra slots.
    pub concurrency: usize,
    /// A worker that has not renewed its leases for this long is presumed dead.
    pub lease: Duration,
    /// How often the queue is polled in case a wake-up was missed.
    pub poll: Duration,
    /// A step that runs longer than this fails.
    pub step_timeout: Duration,
    /// A process that cannot record the end of a step for this long stops.
    pub record_end: Duration,
    /// Content is kept this long after the job was created.
    pub retention_seconds: i64,
    /// How much longer than its content the record of a job is kept.
    pub record_seconds: i64,
    /// How often the sweeper looks for expired content.
    pub sweep: Duration,
    /// How long running steps may continue after the process was asked to stop.
    pub drain: Duration,
}

/// Rate limits of each API key, and of all keys of a project together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateSettings {
    pub key: Limits,
    /// For projects without their own limits.
    pub project: Limits,
    pub uploads: UploadSettings,
    /// Maximum number of concurrent event streams of each API key; 0 means no limit.
    pub concurrent_streams: u32,
}

/// Rate limits; 0 means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub requests_per_minute: u32,
    pub concurrent_transcriptions: u32,
}

/// Uploads of each API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadSettings {
    /// Maximum number of concurrent uploads; 0 means no limit.
    pub concurrent: u32,
    /// How long a further upload waits until it is refused.
    pub wait: Duration,
}

/// Webhooks and the loop that delivers them.
#[derive(Debug, Clone)]
pub struct WebhookSettings {
    /// Whether this process delivers webhooks.
    pub deliver: bool,
    /// Networks that webhooks may be sent to although they are not public.
    pub allowed_networks: Vec<IpNet>,
    /// Certificates in PEM that are trusted in addition to the system's.
    pub extra_certificates: Option<Vec<u8>>,
    /// How long a receiver may take to answer.
    pub timeout: Duration,
    /// How long a receiver may take to accept the connection.
    pub connect_timeout: Duration,
    /// Maximum number of deliveries that this process sends at once.
    pub concurrency: usize,
    /// Maximum number of deliveries that it sends to one receiver at once.
    pub per_endpoint: usize,
}
