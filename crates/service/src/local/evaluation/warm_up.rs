//! Loads a model before it is timed, and unloads it afterwards.

use std::collections::BTreeSet;

use auris_domain::step::spec::TranscriptionSpec;
use auris_engines::{CatalogModel, EngineKind};

use super::super::{LocalEngines, LocalError, sample_recording};
use super::run::Scored;

impl LocalEngines {
    /// Loads a model, so that loading it does not count as transcribing.
    pub(super) async fn warm_up(&self, model: &str, recordings: &[Scored<'_>]) -> Result<(), LocalError> {
        let catalog = self.engines.catalog();
        let Some(entry) = catalog.find(model) else { return Ok(()) };
        let languages: BTreeSet<Option<&str>> =
            recordings.iter().map(|scored| scored.recording.given_language.as_deref()).collect();
        for spec in warm_up_specs(entry, &languages) {
            let known = spec.language.as_deref();
            if !self.may_transcribe(model, known) {
                continue;
            }
            let sample = sample_recording::repeated(1).map_err(LocalError::Sample)?;
            self.transcribe(sample.path(), model, spec, |_| ()).await?;
        }
        Ok(())
    }

    /// Unloads a model, or those that it chooses from.
    pub(super) fn unload_evaluated(&self, model: &str) {
        let catalog = self.engines.catalog();
        let candidates = catalog.find(model).map(|entry| entry.candidates.as_slice()).unwrap_or_default();
        candidates.iter().map(String::as_str).chain([model]).for_each(|id| self.engines.unload(id));
    }
}

/// How the sample is transcribed to load everything that a model needs for recordings in these languages, because `auto`
/// loads other models for other languages. `None` is a language that must be detected.
fn warm_up_specs(entry: &CatalogModel, languages: &BTreeSet<Option<&str>>) -> Vec<TranscriptionSpec> {
    match entry.engine {
        EngineKind::Moonshine | EngineKind::Whisper => vec![sample_recording::transcription(entry)],
        EngineKind::Auto => {
            let spec = |language: &Option<&str>| TranscriptionSpec {
                language: language.map(str::to_owned),
                prompt: None,
            };
            languages.iter().map(spec).collect()
        }
        EngineKind::Fake
        | EngineKind::Diarizer
        | EngineKind::BuiltInText
        | EngineKind::Gguf
        | EngineKind::Remote => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use auris_engines::Catalog;

    use super::*;

    #[test]
    fn auto_is_loaded_for_each_language_of_the_recordings_before_it_is_timed() {
        let catalog = Catalog::built_in().unwrap();
        let languages = |model: &str| {
            let specs = warm_up_specs(catalog.find(model).unwrap(), &BTreeSet::from([None, Some("de")]));
            specs.into_iter().map(|spec| spec.language).collect::<Vec<_>>()
        };
        assert_eq!(languages("auto"), [None, Some("de".to_owned())]);
        assert_eq!(languages("whisper-base"), [Some("en".to_owned())]);
        assert_eq!(languages("pyannote-campplus"), []);
    }
}
