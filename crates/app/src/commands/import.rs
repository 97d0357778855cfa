//! `auris import`: an exported installation into an empty one.

use std::path::Path;

use auris_service::operator::ImportRequest;

use super::{print, print_json};
use crate::config::Config;
use crate::wiring;

pub(crate) async fn run(file: &Path, as_json: bool, config: &Config) -> anyhow::Result<()> {
    let operator = wiring::operator(config).await?;
    let request = ImportRequest {
        file: file.to_owned(),
        blobs: wiring::blobs(config)?,
        keys: wiring::existing_master_keys(config)?,
        data_dir: config.data.clone(),
        spool_dir: config.service.spool_dir.clone(),
    };
    let manifest = operator.import(&request).await?;
    operator.close().await;
    if as_json {
        return print_json(&manifest);
    }
    print(&format!(
        "Imported {} jobs and {} blobs, with their ids, keys and secrets.",
        manifest.jobs(),
        manifest.blobs
    ))
}
