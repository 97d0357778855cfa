//! The checked configuration of a process.

mod blobs;
mod raw;
mod webhooks;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use auris_engines::Tuning;
use auris_service::{JobSettings, Limits, RateSettings, ServiceSettings, TranscriptionSettings};
use auris_store::{BlobSettings, DatabaseSettings};
use serde::Deserialize;

const DAY_SECONDS: i64 = 86_400;

/// Everything that a command needs to know, checked.
pub(crate) struct Config {
    pub(crate) data: PathBuf,
    pub(crate) listen: String,
    /// How long to answer on after readiness was withdrawn.
    pub(crate) unready: Duration,
    pub(crate) database: DatabaseSettings,
    /// Whether a start brings the schema up to date.
    pub(crate) migrate: bool,
    pub(crate) blobs: BlobSettings,
    pub(crate) models: ModelConfig,
    pub(crate) engines: Tuning,
    pub(crate) max_audio_seconds: f64,
    pub(crate) service: ServiceSettings,
    pub(crate) master_key: Option<String>,
    pub(crate) previous_master_keys: Vec<String>,
    pub(crate) log_level: String,
    pub(crate) log_format: LogFormat,
}

pub(crate) struct ModelConfig {
    pub(crate) dir: PathBuf,
    pub(crate) catalog: Option<PathBuf>,
    pub(crate) mirror: Option<String>,
    pub(crate) pull: bool,
    pub(crate) fake: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    Auto,
    Text,
    Json,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    server: Server,
    database: Database,
    blobs: blobs::Raw,
    models: Models,
    engines: EngineTuning,
    audio: Audio,
    transcription: Transcription,
    jobs: Jobs,
    artifacts: Artifacts,
    rate_limits: RateLimits,
    webhooks: webhooks::Webhooks,
    security: Security,
    logs: Logs,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Server {
    listen: String,
    unready_seconds: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Database {
    url: String,
    max_connections: u32,
    migrate: bool,
    pooler: bool,
    listen_url: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Models {
    dir: String,
    catalog: String,
    mirror: String,
    pull: bool,
    fake: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineTuning {
    threads: usize,
    idle_unload_seconds: u64,
    memory_mb: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Audio {
    max_seconds: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Transcription {
    deadline_seconds: u64,
    concurrent_calls: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Jobs {
    concurrency: usize,
    lease_seconds: u64,
    poll_ms: u64,
    step_timeout_seconds: u64,
    retention_days: u32,
    record_days: u32,
    sweep_seconds: u64,
    drain_seconds: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Artifacts {
    signed_url_seconds: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RateLimits {
    requests_per_minute: u32,
    concurrent_transcriptions: u32,
    project_requests_per_minute: u32,
    project_concurrent_transcriptions: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Security {
    master_key: String,
    previous_master_keys: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Logs {
    level: String,
    format: LogFormat,
}

impl Config {
    /// Reads the defaults, the file and the environment, and checks every value.
    pub(crate) fn load(data: Option<&Path>, file: Option<&Path>) -> anyhow::Result<Self> {
        let text = match file {
            Some(path) => Some(
                std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?,
            ),
            None => None,
        };
        // A variable that is no UTF-8 is no setting of ours.
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        let settings = raw::load(text.as_deref(), environment)?;
        let raw: Raw = settings.try_into().context("the configuration is not valid")?;
        raw.checked(match data {
            Some(data) => data.to_owned(),
            None => folders()?.data_dir().to_owned(),
        })
    }
}

impl Database {
    fn settings(&self, data: &Path) -> DatabaseSettings {
        let url = match self.url.is_empty() {
            true => format!("sqlite:{}", data.join("auris.db").display()),
            false => self.url.clone(),
        };
        let listen_url = Some(self.listen_url.clone()).filter(|url| !url.is_empty());
        DatabaseSettings { url, max_connections: self.max_connections, pooler: self.pooler, listen_url }
    }
}

impl Raw {
    fn checked(self, data: PathBuf) -> anyhow::Result<Config> {
        at_least("database.max_connections", u64::from(self.database.max_connections), 1)?;
        at_least("transcription.concurrent_calls", self.transcription.concurrent_calls as u64, 1)?;
        at_least("transcription.deadline_seconds", self.transcription.deadline_seconds, 1)?;
        at_least("jobs.lease_seconds", self.jobs.lease_seconds, 3)?;
        at_least("jobs.poll_ms", self.jobs.poll_ms, 10)?;
        at_least("jobs.step_timeout_seconds", self.jobs.step_timeout_seconds, 1)?;
        at_least("jobs.sweep_seconds", self.jobs.sweep_seconds, 1)?;
        at_least("artifacts.signed_url_seconds", u64::from(self.artifacts.signed_url_seconds), 1)?;
        at_least("audio.max_seconds", u64::from(self.audio.max_seconds), 1)?;
        at_least("engines.memory_mb", u64::from(self.engines.memory_mb), 1)?;
        check_level(&self.logs.level)?;
        Ok(Config {
            listen: self.server.listen.clone(),
            unready: Duration::from_secs(self.server.unready_seconds),
            database: self.database.settings(&data),
            migrate: self.database.migrate,
            blobs: self.blobs.checked(&data)?,
            models: ModelConfig {
                dir: given(&self.models.dir)
                    .map_or_else(|| Ok(folders()?.cache_dir().join("models")), anyhow::Ok)?,
                catalog: given(&self.models.catalog),
                mirror: Some(self.models.mirror.clone()).filter(|mirror| !mirror.is_empty()),
                pull: self.models.pull,
                fake: self.models.fake,
            },
            engines: self.tuning(),
            max_audio_seconds: f64::from(self.audio.max_seconds),
            service: self.service(&data)?,
            master_key: Some(self.security.master_key).filter(|key| !key.is_empty()),
            previous_master_keys: self.security.previous_master_keys,
            log_level: self.logs.level,
            log_format: self.logs.format,
            data,
        })
    }

    fn tuning(&self) -> Tuning {
        let idle = self.engines.idle_unload_seconds;
        Tuning {
            threads: self.engines.threads,
            // One number for both: what the service lets in has a place at the engines.
            synchronous_calls: self.transcription.concurrent_calls,
            idle_unload_seconds: (idle > 0).then_some(idle),
            loaded_bytes: u64::from(self.engines.memory_mb) << 20,
        }
    }

    fn service(&self, data: &Path) -> anyhow::Result<ServiceSettings> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = &self.jobs;
        Ok(ServiceSettings {
            spool_dir: data.join("spool"),
            transcription: TranscriptionSettings {
                deadline: Duration::from_secs(self.transcription.deadline_seconds),
                concurrent_calls: self.transcription.concurrent_calls,
            },
            jobs: JobSettings {
                concurrency: if jobs.concurrency == 0 { cores } else { jobs.concurrency },
                lease: Duration::from_secs(jobs.lease_seconds),
                poll: Duration::from_millis(jobs.poll_ms),
                step_timeout: Duration::from_secs(jobs.step_timeout_seconds),
                retention_seconds: i64::from(jobs.retention_days) * DAY_SECONDS,
                record_seconds: i64::from(jobs.record_days) * DAY_SECONDS,
                sweep: Duration::from_secs(jobs.sweep_seconds),
                drain: Duration::from_secs(jobs.drain_seconds),
            },
            rates: RateSettings {
                key: Limits {
                    requests_per_minute: self.rate_limits.requests_per_minute,
                    concurrent_transcriptions: self.rate_limits.concurrent_transcriptions,
                },
                project: Limits {
                    requests_per_minute: self.rate_limits.project_requests_per_minute,
                    concurrent_transcriptions: self.rate_limits.project_concurrent_transcriptions,
                },
            },
            webhooks: self.webhooks.checked()?,
            signed_url_seconds: i64::from(self.artifacts.signed_url_seconds),
        })
    }
}

fn given(path: &str) -> Option<PathBuf> {
    (!path.is_empty()).then(|| PathBuf::from(path))
}

fn at_least(name: &str, value: u64, least: u64) -> anyhow::Result<()> {
    if value < least {
        bail!("the setting `{name}` is {value}; it must be at least {least}");
    }
    Ok(())
}

fn check_level(level: &str) -> anyhow::Result<()> {
    if ["error", "warn", "info", "debug", "trace"].contains(&level) {
        return Ok(());
    }
    bail!("the setting `logs.level` is `{level}`; it must be error, warn, info, debug or trace")
}

fn folders() -> anyhow::Result<directories::ProjectDirs> {
    let folders = directories::ProjectDirs::from("", "", "auris");
    folders.context("this user has no home folder; name the data folder with --data DIR")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(file: &str) -> anyhow::Result<Config> {
        let raw: Raw = raw::load(Some(file), std::iter::empty())?.try_into()?;
        raw.checked(PathBuf::from("data"))
    }

    #[test]
    fn the_engines_get_their_settings() {
        let file = "[engines]\nthreads = 3\nidle_unload_seconds = 60\nmemory_mb = 2\n[transcription]\nconcurrent_calls = 5";
        let tuning = checked(file).unwrap().engines;
        let expected =
            Tuning { threads: 3, synchronous_calls: 5, idle_unload_seconds: Some(60), loaded_bytes: 2 << 20 };
        assert_eq!(tuning, expected);
    }

    #[test]
    fn an_idle_time_of_zero_keeps_models_for_ever() {
        assert_eq!(checked("[engines]\nidle_unload_seconds = 0").unwrap().engines.idle_unload_seconds, None);
    }

    #[test]
    fn no_memory_at_all_is_refused_by_name() {
        let error = checked("[engines]\nmemory_mb = 0").map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("`engines.memory_mb`"), "{error}");
    }
}
