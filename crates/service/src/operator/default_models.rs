//! The default models of a node: which ones are installed without being asked for, and the measurement of new speech
//! models, from which `auto` chooses.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use auris_domain::model::Capability;
use auris_engines::PullSink;
use tokio_util::sync::CancellationToken;

use super::this_node::ThisNode;
use super::{ModelRecord, Result};
use crate::ServiceError;
use crate::local::LocalEngines;

/// The capabilities whose default models are installed: speech, and the text stages, which share one small model. The
/// diarization model is part of the binary, and models for tasks are too large to be downloaded without being asked for.
fn installed() -> impl Iterator<Item = Capability> {
    std::iter::once(Capability::Transcription).chain(Capability::TEXT_STAGES)
}

/// How often the server looks for speech models that were installed while it runs.
const NEW_MODELS_INTERVAL: Duration = Duration::from_secs(30);

/// The default models of the catalogue, on this node.
pub struct DefaultModels {
    node: ThisNode,
}

impl DefaultModels {
    pub fn of(node: ThisNode) -> Self {
        Self { node }
    }

    /// Installs those that are missing, one after the other. `progress` makes the sink of one installation. A failure is
    /// only logged.
    pub async fn install_missing<S: PullSink + Send + 'static>(&self, progress: impl Fn() -> S) {
        for capability in installed() {
            let Some(id) = self.node.engines.catalog().defaults.get(&capability).cloned() else { continue };
            // Checked for each capability: the previous installation may have included this model.
            if self.node.engines.is_fully_installed(&id) {
                continue;
            }
            tracing::info!(model = id, "installing a default model");
            match self.install(&id, progress()).await {
                Ok(_) => tracing::info!(model = id, "installed a default model"),
                Err(error) => tracing::warn!(
                    model = id,
                    %error,
                    "cannot install the model; try again with `auris models pull`"
                ),
            }
        }
    }

    async fn install(&self, id: &str, mut progress: impl PullSink + Send + 'static) -> Result<ModelRecord> {
        let library = self.node.library();
        let id = id.to_owned();
        let pulled = tokio::task::spawn_blocking(move || library.pull(&id, &mut progress));
        pulled.await.map_err(ServiceError::internal)?
    }

    /// Measures speech models whose speed is not known, each once, also those that are installed later. Does not end; one
    /// that cannot be measured is left to `auris models bench`. Cancelling `stop` ends a measurement.
    pub async fn measure_new(&self, stop: CancellationToken) {
        let engines = LocalEngines::new(Arc::clone(&self.node.engines), stop);
        let mut tried = HashSet::new();
        loop {
            for id in engines.unmeasured_candidates() {
                if tried.insert(id.clone()) {
                    measure(&engines, &id).await;
                }
            }
            tokio::time::sleep(NEW_MODELS_INTERVAL).await;
        }
    }

    /// The speech model for a first request: the default if it is or will be installed, otherwise any that can be used.
    pub fn first_to_try(&self, will_be_installed: bool) -> Option<String> {
        let usable = self.node.engines.models();
        let catalog = self.node.engines.catalog();
        let default = catalog.defaults.get(&Capability::Transcription);
        let default = default.filter(|id| will_be_installed || usable.find(id).is_some());
        let any = usable.models.iter().find(|model| model.can(Capability::Transcription));
        default.or(any.map(|model| &model.id)).cloned()
    }
}

async fn measure(engines: &LocalEngines, id: &str) {
    match engines.measure_candidate(id).await {
        Ok(measured) => {
            let speed = measured.units_per_second();
            tracing::info!(model = id, speed, "measured a speech model, in seconds of audio per second");
        }
        Err(error) => tracing::warn!(model = id, %error, "cannot measure the speech model"),
    }
}
