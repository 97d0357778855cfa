//! Installs models: on request, or because a command needs one that is not installed.

use std::time::Duration;

use anyhow::Context;
use auris_service::local::LocalEngines;
use auris_service::operator::{ModelLibrary, ModelRecord, NewModel};
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::progress_bar::{PullBars, Spinner};
use crate::wiring;

/// How long an interrupted command waits until a copied model is deleted. Reading weights cannot be interrupted; what is
/// left after this time is deleted by the next `auris models add`.
const CLEAN_UP_TIMEOUT: Duration = Duration::from_secs(5);

/// Installs a model and the models it depends on, with progress bars on a terminal.
pub(crate) async fn pull(models: &ModelLibrary, id: &str) -> anyhow::Result<ModelRecord> {
    let models = models.clone();
    let id = id.to_owned();
    let pulled = tokio::task::spawn_blocking(move || models.pull(&id, &mut PullBars::default()));
    Ok(pulled.await??)
}

/// Measures the installed models that `auto` could choose and whose speed on this machine is not known. A model that
/// cannot be measured is only reported: it can be used all the same.
pub(crate) async fn measure_new(engines: &LocalEngines) {
    for id in engines.unmeasured_candidates() {
        let measured = {
            let _spinner = Spinner::new(&format!("measuring the speed of {id}"));
            engines.measure_candidate(&id).await
        };
        match measured {
            Ok(measured) => eprintln!("{id}: {:.1} × the speed of speech", measured.units_per_second()),
            Err(_) if engines.is_cancelled() => return,
            Err(error) => eprintln!("cannot measure the speed of `{id}`: {error}"),
        }
    }
}

/// Adds a model from a file of the operator, with progress bars on a terminal. After `cancel`, waits for some seconds until
/// everything that was copied is deleted.
pub(crate) async fn add(
    models: &ModelLibrary,
    new: NewModel,
    cancel: &CancellationToken,
) -> anyhow::Result<ModelRecord> {
    let models = models.clone();
    let stopped = cancel.clone();
    let mut added = tokio::task::spawn_blocking(move || models.add(&new, &mut PullBars::default(), &stopped));
    tokio::select! {
        added = &mut added => return Ok(added??),
        () = cancel.cancelled() => {}
    }
    let added = tokio::time::timeout(CLEAN_UP_TIMEOUT, added).await;
    Ok(added.context("the model was not added: it was interrupted")???)
}

/// Makes a model usable: installs one of the catalogue that is not installed yet, and what upgrades it. A model that works
/// without its upgrade is used without it if that cannot be installed.
pub(crate) async fn ensure_installed(
    config: &Config,
    engines: &LocalEngines,
    model: &str,
) -> anyhow::Result<()> {
    let is_installed = engines.is_installed(model)?;
    if is_installed && (!config.models.pull || engines.is_complete(model)) {
        return Ok(());
    }
    eprintln!("installing the model `{model}`");
    match pull(&wiring::models(config)?, model).await {
        Err(error) if is_installed => eprintln!("continuing without the better model for `{model}`: {error}"),
        pulled => drop(pulled?),
    }
    measure_new(engines).await;
    Ok(())
}
