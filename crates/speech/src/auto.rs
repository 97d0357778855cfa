//! The model `auto`: detects the language, then uses the best installed model for it.

use auris_audio::AudioSource;
use auris_domain::step::spec::TranscriptionSpec;
use auris_engine_core::speech::Transcription;
use auris_engine_core::{CallContext, EngineError, Place, Runtime, SpeechSink, Transcriber, language_code};
use auris_models::CatalogModel;

use crate::local::{LocalSpeech, load, open};

/// Chooses among the installed speech models.
pub struct AutoSpeech {
    pub model: String,
    /// Best first.
    pub candidates: Vec<CatalogModel>,
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
        let language = match &spec.language {
            Some(asked) => Some(language_code::primary(asked)),
            None => self.detect_language(&place, audio)?,
        };
        let entry = self.best_for(language.as_deref(), spec)?.clone();
        let chosen = LocalSpeech { entry, runtime: self.runtime.clone() };
        let spec = TranscriptionSpec { language, prompt: spec.prompt.clone() };
        chosen.transcribe_in(&place, audio, &spec, sink)
    }
}

impl AutoSpeech {
    /// The language of the first speech, detected by the smallest multilingual model. `None` if nobody speaks.
    fn detect_language(&self, place: &Place, audio: &AudioSource) -> Result<Option<String>, EngineError> {
        let multilingual = self.candidates.iter().filter(|entry| entry.languages.is_empty());
        let Some(smallest) = multilingual.min_by_key(|entry| entry.file_bytes()) else { return Ok(None) };
        let model = load(&self.runtime, smallest)?;
        let Some(segment) = open(audio, &model)?.first_unit(place)? else { return Ok(None) };
        model.detect_language(segment, place).wait()
    }

    fn best_for(
        &self,
        language: Option<&str>,
        spec: &TranscriptionSpec,
    ) -> Result<&CatalogModel, EngineError> {
        let knows = |entry: &&CatalogModel| language.is_none_or(|code| entry.knows_language(code));
        self.candidates.iter().find(knows).ok_or_else(|| EngineError::UnsupportedLanguage {
            model: self.model.clone(),
            language: spec.language.clone().or(language.map(str::to_owned)).unwrap_or_default(),
        })
    }
}
