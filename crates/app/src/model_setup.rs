//! Installs models: on request, or because a command needs one that is not installed.

use auris_service::local::LocalEngines;
use auris_service::operator::{ModelLibrary, ModelRecord, NewModel};

use crate::config::Config;
use crate::progress_bar::PullBars;
use crate::wiring;

/// Installs a model and the models it depends on, with progress bars on a terminal.
pub(crate) async fn pull(models: &ModelLibrary, id: &str) -> anyhow::Result<()> {
    let models = models.clone();
    let id = id.to_owned();
    let pulled = tokio::task::spawn_blocking(move || models.pull(&id, &mut PullBars::default()));
    Ok(pulled.await??)
}

/// Adds a model from a file of the operator, with progress bars on a terminal.
pub(crate) async fn add(models: &ModelLibrary, new: NewModel) -> anyhow::Result<ModelRecord> {
    let models = models.clone();
    let added = tokio::task::spawn_blocking(move || models.add(&new, &mut PullBars::default()));
    Ok(added.await??)
}

/// Makes a model usable: installs one of the catalogue that is not installed yet.
pub(crate) async fn ensure_installed(
    config: &Config,
    engines: &LocalEngines,
    model: &str,
) -> anyhow::Result<()> {
    if engines.is_installed(model)? {
        return Ok(());
    }
    eprintln!("installing the model `{model}`");
    pull(&wiring::models(config)?, model).await
}
