//! Doctor: checks everything that the service depends on, and says what to do about each problem.

mod blobs;
mod content;
mod database;
mod machine;

use std::path::PathBuf;

use auris_domain::time::Clock;
use auris_store::{BlobSettings, Blobs, DatabaseSettings, Store};
use serde::Serialize;

use super::ModelLibrary;
use crate::secrets::MasterKey;

/// What to examine. A part that could not be opened holds the reason instead.
pub struct Installation {
    pub data_dir: PathBuf,
    pub spool_dir: PathBuf,
    /// Whether the folders of the installation could be created.
    pub folders: Result<(), String>,
    pub models: Result<ModelLibrary, String>,
    pub database: Result<Store, String>,
    pub database_settings: DatabaseSettings,
    pub master_keys: Result<Vec<MasterKey>, String>,
    pub blobs: Result<Blobs, String>,
    pub blob_settings: BlobSettings,
    pub clock: Clock,
}

impl Installation {
    /// Closes the database, if it was opened.
    pub async fn close(self) {
        if let Ok(store) = self.database {
            store.close().await;
        }
    }
}

/// Everything that was found.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Whether there is no problem. Warnings do not count.
    pub ok: bool,
    pub findings: Vec<Finding>,
}

/// The result of one check.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    pub check: &'static str,
    pub state: Health,
    pub found: String,
    /// What to do; empty if nothing is wrong.
    pub advice: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    Ok,
    /// The service runs, but will have trouble later.
    Warning,
    /// The service cannot do its work.
    Problem,
}

impl Report {
    /// How many problems were found.
    pub fn problems(&self) -> usize {
        self.findings.iter().filter(|finding| finding.state == Health::Problem).count()
    }
}

impl Finding {
    fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self { check, state: Health::Ok, found: found.into(), advice: String::new() }
    }

    fn warning(check: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { check, state: Health::Warning, found: found.into(), advice: advice.into() }
    }

    fn problem(check: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { check, state: Health::Problem, found: found.into(), advice: advice.into() }
    }

    /// A problem with the whole chain of an error, because the cause is what helps.
    fn failed(check: &'static str, error: &dyn std::error::Error, advice: impl Into<String>) -> Self {
        Self::problem(check, crate::error::chain(error), advice)
    }
}

/// Checks everything. Changes nothing, except that a test blob is written and deleted.
pub async fn examine(installation: &Installation) -> Report {
    let mut findings = machine::check(installation);
    match &installation.database {
        Ok(store) => findings.extend(database::check(installation, store).await),
        Err(error) => findings.push(Finding::problem(
            "database",
            error,
            "start the database, or correct `database.url`; a password may be missing",
        )),
    }
    let blobs = blobs::check(installation).await;
    let can_compare = blobs.state != Health::Problem;
    findings.push(blobs);
    if can_compare {
        findings.extend(content::check(installation).await);
    }
    let ok = findings.iter().all(|finding| finding.state != Health::Problem);
    Report { ok, findings }
}
