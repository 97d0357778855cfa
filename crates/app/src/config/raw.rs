//! The settings as they are written, section by section, before their values are checked.

use serde::Deserialize;

use super::LogFormat;
use super::blobs::RawBlobs;
use super::webhooks::RawWebhooks;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawConfig {
    pub(super) server: RawServer,
    pub(super) console: RawConsole,
    pub(super) database: RawDatabase,
    pub(super) blobs: RawBlobs,
    pub(super) models: RawModels,
    pub(super) engines: RawEngineTuning,
    pub(super) audio: RawAudio,
    pub(super) transcription: RawTranscription,
    pub(super) jobs: RawJobs,
    pub(super) artifacts: RawArtifacts,
    pub(super) rate_limits: RawRateLimits,
    pub(super) webhooks: RawWebhooks,
    pub(super) security: RawSecurity,
    pub(super) logs: RawLogs,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawServer {
    pub(super) listen: String,
    pub(super) public_url: String,
    pub(super) unready_seconds: u64,
    pub(super) max_connections: usize,
    pub(super) write_timeout_seconds: u64,
    pub(super) min_free_mb: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawConsole {
    pub(super) enabled: bool,
    pub(super) listen: String,
    pub(super) public_url: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawDatabase {
    pub(super) url: String,
    pub(super) max_connections: u32,
    pub(super) migrate: bool,
    pub(super) pooler: bool,
    pub(super) listen_url: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawModels {
    pub(super) dir: String,
    pub(super) catalog: String,
    pub(super) mirror: String,
    pub(super) pull: bool,
    pub(super) fake: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawEngineTuning {
    pub(super) threads: usize,
    pub(super) idle_unload_seconds: u64,
    pub(super) memory_mb: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawAudio {
    pub(super) max_seconds: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTranscription {
    pub(super) deadline_seconds: u64,
    pub(super) concurrent_calls: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawJobs {
    pub(super) concurrency: usize,
    pub(super) lease_seconds: u64,
    pub(super) poll_ms: u64,
    pub(super) step_timeout_seconds: u64,
    pub(super) retention_days: u32,
    pub(super) record_days: u32,
    pub(super) sweep_seconds: u64,
    pub(super) drain_seconds: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawArtifacts {
    pub(super) signed_url_seconds: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRateLimits {
    pub(super) requests_per_minute: u32,
    pub(super) concurrent_transcriptions: u32,
    pub(super) concurrent_uploads: u32,
    pub(super) concurrent_streams: u32,
    pub(super) project_requests_per_minute: u32,
    pub(super) project_concurrent_transcriptions: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSecurity {
    pub(super) master_key: String,
    pub(super) previous_master_keys: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLogs {
    pub(super) level: String,
    pub(super) format: LogFormat,
}
