//! The model `auto`: detects the language, then uses the best installed model for it.

use auris_audio::AudioSource;
use auris_domain::step::spec::TranscriptionSpec;
use auris_engine_core::speech::Transcription;
use auris_engine_core::{CallContext, EngineError, Runtime, SpeechSink, Transcriber, language_code};
use auris_models::CatalogModel;

use crate::auto_candidates::{Candidate, best_for};
use crate::local::{LocalSpeech, RecordingLanguage, SpeechCall, load};
use crate::opening_language::opening_language;

/// Chooses among the installed speech models.
pub struct AutoSpeech {
    pub model: String,
    /// In the order of the catalogue.
    pub candidates: Vec<Candidate>,
    pub runtime: Runtime,
}

impl Transcriber for AutoSpeech {
    fn transcribe(
        &self,
        audio: &AudioSource,
        spec: &TranscriptionSpec,
        sink: &mut dyn SpeechSink,
        context: &CallContext,
    ) -> Result<Transcription, EngineError> {
        let (context, _guard) = context.scoped();
        let place = self.runtime.scheduler.admit(&context)?;
        let call = SpeechCall { place: &place, audio, prompt: spec.prompt.as_deref() };
        let asked = spec.language.as_deref().map(language_code::primary);
        let detector = if asked.is_none() { self.detector() } else { None };
        let Some(detector) = detector else {
            let chosen = self.chosen(asked.as_deref(), spec)?;
            return chosen.transcribe_in(&call, chosen.language(spec)?, sink);
        };
        let loaded = load(&self.runtime, &detector.entry)?;
        let opening = opening_language(&loaded, audio, &place)?;
        let chosen = self.chosen(opening.as_deref(), spec)?;
        let language = match opening {
            Some(language) => RecordingLanguage::Expected(language, Box::new(detector)),
            None => chosen.language(spec)?,
        };
        chosen.transcribe_in(&call, language, sink)
    }
}

impl AutoSpeech {
    /// The best installed model that knows all languages.
    fn detector(&self) -> Option<LocalSpeech> {
        let all_languages = |one: &&Candidate| one.entry.languages.is_empty();
        let multilingual: Vec<Candidate> = self.candidates.iter().filter(all_languages).cloned().collect();
        best_for(&multilingual, None).map(|entry| self.local(entry))
    }

    fn chosen(&self, language: Option<&str>, spec: &TranscriptionSpec) -> Result<LocalSpeech, EngineError> {
        let entry = best_for(&self.candidates, language).ok_or_else(|| EngineError::UnsupportedLanguage {
            model: self.model.clone(),
            language: spec.language.clone().or(language.map(str::to_owned)).unwrap_or_default(),
        })?;
        Ok(self.local(entry))
    }

    fn local(&self, entry: &CatalogModel) -> LocalSpeech {
        LocalSpeech { entry: entry.clone(), runtime: self.runtime.clone() }
    }
}
