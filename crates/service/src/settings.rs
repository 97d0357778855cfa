//! The checked settings of the service, made by `app` from the configuration.

use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;

/// How the service behaves.
#[derive(Debug, Clone)]
pub struct ServiceSettings {
    /// Where uploads are written while they arrive.
    pub spool_dir: PathBuf,
    pub transcription: TranscriptionSettings,
    pub jobs: JobSettings,
    pub rates: RateSettings,
    pub webhooks: WebhookSettings,
    /// How long a signed address of an artifact is valid.
    pub signed_url_seconds: i64,
}

/// Synchronous transcriptions.
#[derive(Debug, Clone, Copy)]
pub struct TranscriptionSettings {
    /// After this long a synchronous call is given up.
    pub deadline: Duration,
    /// Synchronous calls that this machine works on at once.
    pub concurrent_calls: usize,
}

/// Durable jobs and the loops that run them.
#[derive(Debug, Clone, Copy)]
pub struct JobSettings {
    /// Steps that this process runs at once.
    pub concurrency: usize,
    /// A worker that has not been heard of for this long is taken for dead.
    pub lease: Duration,
    /// How often the queue is looked at when no wake-up came.
    pub poll: Duration,
    /// A step that runs longer than this fails.
    pub step_timeout: Duration,
    /// Content is kept this long after the job was created.
    pub retention_seconds: i64,
    /// The record of a job is kept this much longer than its content.
    pub record_seconds: i64,
    /// How often expired content is looked for.
    pub sweep: Duration,
    /// How long running steps may go on after the process was asked to stop.
    pub drain: Duration,
}

/// Limits for each API key, and for all keys of a project together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateSettings {
    pub key: Limits,
    /// For projects that have no limits of their own.
    pub project: Limits,
}

/// How much may be asked for. 0: no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub requests_per_minute: u32,
    pub concurrent_transcriptions: u32,
}

/// Webhooks and the loop that delivers them.
#[derive(Debug, Clone)]
pub struct WebhookSettings {
    /// Whether this process delivers at all.
    pub deliver: bool,
    /// Networks that may be dialled although they are not public.
    pub allowed_networks: Vec<IpNet>,
    /// Certificates that are trusted beside the system's, in PEM.
    pub extra_certificates: Option<Vec<u8>>,
    /// How long a receiver has to answer.
    pub timeout: Duration,
    /// How long it has to take the connection.
    pub connect_timeout: Duration,
    /// Deliveries that this process sends at once.
    pub concurrency: usize,
    /// Deliveries that it sends at once to one receiver.
    pub per_endpoint: usize,
}
