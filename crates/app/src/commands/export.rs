//! `auris export`: the whole installation in one file.

use std::path::Path;

use anyhow::bail;
use auris_service::operator::{Export, ExportRequest};

use super::{print, print_json};
use crate::config::Config;
use crate::serve::running_address;
use crate::wiring;

pub(crate) async fn run(file: &Path, live: bool, as_json: bool, config: &Config) -> anyhow::Result<()> {
    if !live && let Some(address) = running_address(&config.data).await {
        bail!(
            "the service is running on {address}: jobs that it accepts from now on would not be in the file. Stop it \
             first, or take a snapshot of the running service with --live"
        );
    }
    let operator = wiring::operator(config).await?;
    operator.agreed_master_keys(&wiring::master_keys(config)?).await?;
    let request = ExportRequest {
        file: file.to_owned(),
        blobs: wiring::blobs(config)?,
        keys: wiring::existing_master_keys(config)?,
        spool_dir: config.service.spool_dir.clone(),
    };
    let export = operator.export(&request).await?;
    operator.close().await;
    if as_json { print_json(&export) } else { print(&describe(&export)) }
}

fn describe(export: &Export) -> String {
    let manifest = &export.manifest;
    format!(
        "Exported {} jobs and {} blobs to `{}`. Importing it requires the master key {}, so keep that key too.",
        manifest.jobs(),
        manifest.blobs,
        export.file.display(),
        manifest.master_key
    )
}
