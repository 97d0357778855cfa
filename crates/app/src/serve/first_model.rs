//! The default models, installed behind a first start: the service answers meanwhile.

use std::sync::Arc;

use auris_domain::model::Capability;
use auris_engines::Engines;

use crate::config::Config;
use crate::engines;

/// Defaults that a first start installs: speech, and the text stages, which share one small net. Diarization is in the
/// binary, and models for tasks are too large to be fetched without being asked for.
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

/// Starts the installation of default models that are missing and may be fetched. A failure is told and costs nothing else.
pub(super) fn install(config: &Arc<Config>, engines: &Arc<Engines>) {
    if !config.models.pull {
        return;
    }
    let (config, engines) = (Arc::clone(config), Arc::clone(engines));
    tokio::spawn(async move {
        for capability in INSTALLED {
            let Some(id) = engines.catalog().defaults.get(&capability).cloned() else { continue };
            // Asked anew each time: one pull may have brought what others need.
            if engines.models().find(&id).is_none() {
                install_one(&config, &engines, &id).await;
            }
        }
    });
}

async fn install_one(config: &Config, engines: &Engines, id: &str) {
    tracing::info!(model = id, "installing a default model");
    match engines::pull(config, engines.catalog(), id).await {
        Ok(()) => tracing::info!(model = id, "installed a default model"),
        Err(error) => {
            tracing::warn!(model = id, %error, "cannot install it; `auris models pull` tries again");
        }
    }
}

/// The model that a first request should name: the default, installed or about to be, else any that can be used.
pub(super) fn to_try(config: &Config, engines: &Engines) -> String {
    let usable = engines.models();
    let default = engines.catalog().defaults.get(&Capability::Transcription);
    let default = default.filter(|id| config.models.pull || usable.find(id).is_some());
    let any = usable.models.iter().find(|model| model.can(Capability::Transcription));
    default.or(any.map(|model| &model.id)).cloned().unwrap_or_else(|| "MODEL".into())
}
