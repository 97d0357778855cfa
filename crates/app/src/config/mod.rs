//! The configuration of a process: the defaults, the configuration file and the environment, checked.

mod blobs;
mod checks;
mod console;
mod in_force;
mod overlay;
mod raw;
mod values;
mod webhooks;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use auris_engines::Tuning;
use auris_service::ServiceSettings;
use auris_store::{BlobSettings, DatabaseSettings};
use serde::Deserialize;

use checks::folders;
pub(crate) use console::{ConsoleConfig, reachable};
pub(crate) use in_force::SettingInForce;
use raw::RawConfig;

/// All settings that commands use, checked.
pub(crate) struct Config {
    pub(crate) data: PathBuf,
    pub(crate) listen: String,
    /// The URL at which callers reach the API, without a slash at the end.
    pub(crate) public_url: Option<String>,
    pub(crate) console: ConsoleConfig,
    /// Every setting; secrets are masked.
    pub(crate) in_force: Vec<SettingInForce>,
    /// How long the server keeps answering after readiness fails.
    pub(crate) unready: Duration,
    /// Maximum number of open connections; 0 for as many as the limit of open files allows.
    pub(crate) max_connections: usize,
    /// How long a client may accept no bytes of a response.
    pub(crate) write_timeout: Duration,
    pub(crate) database: DatabaseSettings,
    /// Whether a start migrates the database.
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

impl Config {
    /// Reads the defaults, the file and the environment, and checks every value.
    pub(crate) fn load(data: Option<&Path>, file: Option<&Path>) -> anyhow::Result<Self> {
        let text = match file {
            Some(path) => Some(
                std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?,
            ),
            None => None,
        };
        // A variable that is not UTF-8 cannot be a setting.
        let environment: Vec<(String, String)> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let variables: Vec<String> = environment.iter().map(|(name, _)| name.clone()).collect();
        let settings = overlay::load(text.as_deref(), environment.into_iter())?;
        let given = text.as_deref().and_then(|text| text.parse().ok()).unwrap_or_default();
        let in_force = in_force::list(&settings, &given, &variables);
        let raw: RawConfig = settings.try_into().context("the configuration is not valid")?;
        let config = raw.checked(match data {
            Some(data) => data.to_owned(),
            None => folders()?.data_dir().to_owned(),
        })?;
        Ok(Self { in_force, ..config })
    }

    /// Listens on the address of the `--listen` flag instead.
    pub(crate) fn set_listen(&mut self, listen: String) {
        for setting in self.in_force.iter_mut().filter(|setting| setting.name == "server.listen") {
            *setting = SettingInForce { value: listen.clone(), source: "flag", ..setting.clone() };
        }
        self.listen = listen;
    }
}
