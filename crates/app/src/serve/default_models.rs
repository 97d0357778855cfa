//! Installs the default models in the background after the first start, while the service already answers, and measures
//! the speed of new speech models, from which `auto` chooses.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use auris_domain::model::Capability;
use auris_engines::Engines;
use auris_service::local::LocalEngines;
use auris_service::operator::ModelLibrary;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::{model_setup, wiring};

/// The capabilities whose default models are installed: speech, and the text stages, which share one small model. The
/// diarization model is part of the binary, and models for tasks are too large to be downloaded without being asked for.
const INSTALLED: [Capability; 8] = [
    Capability::Transcription,
    Capability::Chapters,
    Capability::Entities,
    Capability::Formatting,
    Capability::KeyPhrases,
    Capability::Sentiment,
    Capability::Summary,
    Capability::Topics,
];

/// How often the server looks for speech models that were installed while it runs.
const NEW_MODELS_INTERVAL: Duration = Duration::from_secs(30);

/// Starts to install the default models that are missing, if the configuration allows it, and to measure speech models
/// whose speed is not known, until `stop`. A failure is only logged.
pub(super) fn install(
    config: &Config,
    engines: &Arc<Engines>,
    stop: &CancellationToken,
) -> anyhow::Result<()> {
    if !config.models.pull {
        return Ok(());
    }
    let models = wiring::models(config)?;
    let engines = Arc::clone(engines);
    let stop = stop.clone();
    tokio::spawn(stop.clone().run_until_cancelled_owned(async move {
        install_missing(&models, &engines).await;
        measure_new(&LocalEngines::new(engines, stop)).await;
    }));
    Ok(())
}

async fn install_missing(models: &ModelLibrary, engines: &Engines) {
    for capability in INSTALLED {
        let Some(id) = engines.catalog().defaults.get(&capability).cloned() else { continue };
        // Checked for each capability: the previous installation may have included this model.
        if !engines.is_fully_installed(&id) {
            install_one(models, &id).await;
        }
    }
}

/// Measures each model once; one that cannot be measured is left to `auris models bench`.
async fn measure_new(engines: &LocalEngines) {
    let mut tried = HashSet::new();
    loop {
        for id in engines.unmeasured_candidates() {
            if !tried.insert(id.clone()) {
                continue;
            }
            match engines.measure_candidate(&id).await {
                Ok(measured) => {
                    let speed = measured.units_per_second();
                    tracing::info!(
                        model = id,
                        speed,
                        "measured a speech model, in seconds of audio per second"
                    );
                }
                Err(error) => tracing::warn!(model = id, %error, "cannot measure the speech model"),
            }
        }
        tokio::time::sleep(NEW_MODELS_INTERVAL).await;
    }
}

async fn install_one(models: &ModelLibrary, id: &str) {
    tracing::info!(model = id, "installing a default model");
    match model_setup::pull(models, id).await {
        Ok(_) => tracing::info!(model = id, "installed a default model"),
        Err(error) => {
            tracing::warn!(model = id, %error, "cannot install the model; try again with `auris models pull`");
        }
    }
}

/// The model for a first request: the default if it is or will be installed, otherwise any model that can be used.
pub(super) fn first_to_try(config: &Config, engines: &Engines) -> String {
    let usable = engines.models();
    let catalog = engines.catalog();
    let default = catalog.defaults.get(&Capability::Transcription);
    let default = default.filter(|id| config.models.pull || usable.find(id).is_some());
    let any = usable.models.iter().find(|model| model.can(Capability::Transcription));
    default.or(any.map(|model| &model.id)).cloned().unwrap_or_else(|| "MODEL".into())
}
