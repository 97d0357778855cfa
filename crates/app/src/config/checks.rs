//! Checks the raw settings and turns them into the types that the rest of the program uses.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use auris_engines::Tuning;
use auris_service::{
    DiskSettings, JobSettings, Limits, RateSettings, ServiceSettings, TranscriptionSettings, UploadSettings,
};
use auris_store::{BlobSettings, DatabaseSettings};

use super::raw::{RawConfig, RawDatabase, RawJobs, RawModels, RawRateLimits};
use super::values::{at_least, given, public_url};
use super::{Config, ModelConfig};

const DAY_SECONDS: i64 = 86_400;
/// The name of the folder for uploads.
const SPOOL: &str = "spool";

impl RawDatabase {
    fn settings(&self, data: &Path) -> DatabaseSettings {
        let url = match self.url.is_empty() {
            true => format!("sqlite:{}", data.join("auris.db").display()),
            false => self.url.clone(),
        };
        let listen_url = Some(self.listen_url.clone()).filter(|url| !url.is_empty());
        let pooler = self.pooler;
        DatabaseSettings { pooler, listen_url, ..DatabaseSettings::new(url, self.max_connections) }
    }
}

impl RawConfig {
    pub(super) fn checked(self, data: PathBuf) -> anyhow::Result<Config> {
        self.check_ranges()?;
        Ok(Config {
            listen: self.server.listen.clone(),
            public_url: public_url("server.public_url", &self.server.public_url)?,
            console: self.console.checked()?,
            in_force: Vec::new(),
            unready: Duration::from_secs(self.server.unready_seconds),
            max_connections: self.server.max_connections,
            write_timeout: Duration::from_secs(self.server.write_timeout_seconds),
            database: self.database.settings(&data),
            migrate: self.database.migrate,
            blobs: self.blobs.checked(&data)?,
            models: self.models.checked()?,
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

    fn check_ranges(&self) -> anyhow::Result<()> {
        at_least("server.write_timeout_seconds", self.server.write_timeout_seconds, 1)?;
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
        check_level(&self.logs.level)
    }

    fn tuning(&self) -> Tuning {
        let idle = self.engines.idle_unload_seconds;
        Tuning {
            threads: self.engines.threads,
            // The same number for both, so that every call that the service accepts gets an engine slot.
            synchronous_calls: self.transcription.concurrent_calls,
            idle_unload_seconds: (idle > 0).then_some(idle),
            loaded_bytes: u64::from(self.engines.memory_mb) << 20,
        }
    }

    fn disk(&self, data: &Path) -> anyhow::Result<DiskSettings> {
        let blobs = match self.blobs.checked(data)? {
            BlobSettings::Folder(folder) => Some(folder),
            BlobSettings::Bucket(_) => None,
        };
        let folders = [data.to_owned(), data.join(SPOOL)].into_iter().chain(blobs).collect();
        Ok(DiskSettings { folders, min_free_bytes: u64::from(self.server.min_free_mb) << 20 })
    }

    fn service(&self, data: &Path) -> anyhow::Result<ServiceSettings> {
        Ok(ServiceSettings {
            spool_dir: data.join(SPOOL),
            disk: self.disk(data)?,
            transcription: TranscriptionSettings {
                deadline: Duration::from_secs(self.transcription.deadline_seconds),
                concurrent_calls: self.transcription.concurrent_calls,
            },
            jobs: self.jobs.settings(),
            rates: self.rate_limits.settings(),
            webhooks: self.webhooks.checked()?,
            signed_url_seconds: i64::from(self.artifacts.signed_url_seconds),
        })
    }
}

impl RawModels {
    fn checked(&self) -> anyhow::Result<ModelConfig> {
        let dir = match given(&self.dir) {
            Some(dir) => dir,
            None => folders()?.cache_dir().join("models"),
        };
        Ok(ModelConfig {
            dir,
            catalog: given(&self.catalog),
            mirror: Some(self.mirror.clone()).filter(|mirror| !mirror.is_empty()),
            pull: self.pull,
            fake: self.fake,
        })
    }
}

/// Not a setting: a database that is away for longer needs an operator in any case.
const RECORD_END: Duration = Duration::from_secs(600);

impl RawJobs {
    fn settings(&self) -> JobSettings {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        JobSettings {
            concurrency: if self.concurrency == 0 { cores } else { self.concurrency },
            lease: Duration::from_secs(self.lease_seconds),
            poll: Duration::from_millis(self.poll_ms),
            step_timeout: Duration::from_secs(self.step_timeout_seconds),
            record_end: RECORD_END,
            retention_seconds: i64::from(self.retention_days) * DAY_SECONDS,
            record_seconds: i64::from(self.record_days) * DAY_SECONDS,
            sweep: Duration::from_secs(self.sweep_seconds),
            drain: Duration::from_secs(self.drain_seconds),
        }
    }
}

/// Not a setting: how long an upload over the limit of its key waits until it is refused.
const UPLOAD_WAIT: Duration = Duration::from_secs(60);

impl RawRateLimits {
    fn settings(&self) -> RateSettings {
        RateSettings {
            key: Limits {
                requests_per_minute: self.requests_per_minute,
                concurrent_transcriptions: self.concurrent_transcriptions,
            },
            project: Limits {
                requests_per_minute: self.project_requests_per_minute,
                concurrent_transcriptions: self.project_concurrent_transcriptions,
            },
            uploads: UploadSettings { concurrent: self.concurrent_uploads, wait: UPLOAD_WAIT },
            concurrent_streams: self.concurrent_streams,
        }
    }
}

fn check_level(level: &str) -> anyhow::Result<()> {
    if ["error", "warn", "info", "debug", "trace"].contains(&level) {
        return Ok(());
    }
    bail!("the setting `logs.level` is `{level}`; it must be error, warn, info, debug or trace")
}

pub(super) fn folders() -> anyhow::Result<directories::ProjectDirs> {
    let folders = directories::ProjectDirs::from("", "", "auris");
    folders.context("this user has no home folder; name the data folder with --data DIR")
}

#[cfg(test)]
mod tests {
    use super::super::overlay;
    use super::*;

    fn checked(file: &str) -> anyhow::Result<Config> {
        let raw: RawConfig = overlay::load(Some(file), std::iter::empty())?.try_into()?;
        raw.checked(PathBuf::from("data"))
    }

    #[test]
    fn engine_settings_reach_the_engines() {
        let file = "[engines]\nthreads = 3\nidle_unload_seconds = 60\nmemory_mb = 2\n[transcription]\nconcurrent_calls = 5";
        let tuning = checked(file).unwrap().engines;
        let expected =
            Tuning { threads: 3, synchronous_calls: 5, idle_unload_seconds: Some(60), loaded_bytes: 2 << 20 };
        assert_eq!(tuning, expected);
    }

    #[test]
    fn free_space_is_checked_where_the_data_and_the_blobs_are() {
        let disk = checked("[server]\nmin_free_mb = 2\n[blobs]\nurl = \"file:/other\"").unwrap().service.disk;
        assert_eq!(disk.folders, [Path::new("data"), Path::new("data/spool"), Path::new("/other")]);
        assert_eq!(disk.min_free_bytes, 2 << 20);
    }

    #[test]
    fn an_idle_time_of_zero_keeps_models_loaded() {
        assert_eq!(checked("[engines]\nidle_unload_seconds = 0").unwrap().engines.idle_unload_seconds, None);
    }

    #[test]
    fn a_value_below_its_minimum_is_refused_by_name() {
        let error = checked("[engines]\nmemory_mb = 0").map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("`engines.memory_mb`"), "{error}");
    }
}
