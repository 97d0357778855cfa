//! The models that are evaluated.

use auris_domain::model::Capability;
use auris_engines::{CatalogModel, EngineKind};

use super::super::{LocalEngines, LocalError};

impl LocalEngines {
    /// The named models, or `auto` and every installed speech model that runs on this machine. Fails if a named one is not
    /// installed or does not transcribe.
    pub(super) fn evaluated_models(&self, ids: &[String]) -> Result<Vec<String>, LocalError> {
        let catalog = self.engines.catalog();
        for id in ids {
            if !self.is_installed(id)? {
                let message =
                    format!("the model `{id}` is not installed; install it with `auris models pull {id}`");
                return Err(LocalError::NoModel(message));
            }
            if !catalog.find(id).is_some_and(|entry| entry.model.can(Capability::Transcription)) {
                return Err(LocalError::NoModel(format!("the model `{id}` does not transcribe speech")));
            }
        }
        if !ids.is_empty() {
            return Ok(ids.to_vec());
        }
        let usable = self.engines.models();
        let is_local = |entry: &&CatalogModel| {
            matches!(entry.engine, EngineKind::Auto | EngineKind::Moonshine | EngineKind::Whisper)
        };
        let installed = catalog.models.iter().filter(is_local).map(|entry| entry.model.id.clone());
        let installed: Vec<String> = installed.filter(|id| usable.find(id).is_some()).collect();
        if installed.is_empty() {
            let message = "no speech model is installed; install one with `auris models pull moonshine-base-en` or \
                           `auris models pull whisper-base`";
            return Err(LocalError::NoModel(message.to_owned()));
        }
        Ok(installed)
    }

    /// Whether a model may be asked to transcribe this language. Unknown languages are tried.
    pub(super) fn may_transcribe(&self, model: &str, language: Option<&str>) -> bool {
        language.is_none_or(|language| self.engines.knows_language(model, language))
    }
}
