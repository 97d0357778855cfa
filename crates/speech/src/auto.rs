//! The model `auto`: detects the language, then uses the best installed model for it.

use auris_audio::AudioSource;
use auris_domain::step::spec::TranscriptionSpec;
use auris_engine_core::speech::Transcription;
use auris_engine_core::{CallContext, EngineError, Runtime, SpeechSink, Transcriber, language_code};
use auris_models::CatalogModel;

use crate::auto_candidates::{Candidate, Language, best_for, sure_from};
use crate::local::{LocalSpeech, RecordingLanguage, SecondModel, SpeechCall, load};
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
        let admission = self.runtime.scheduler.admit(&context)?;
        let call = SpeechCall { admission: &admission, audio, prompt: spec.prompt.as_deref() };
        let known = match &spec.language {
            Some(asked) => AutoLanguage::Known(language_code::primary(asked)),
            None => self.opening_language(&call)?,
        };
        let chosen = self.chosen(known.code(), spec)?;
        let checked = match (known, self.detector()) {
            (AutoLanguage::Known(code), Some(second)) => {
                let second = self.second(&chosen, second, Language::Known(&code));
                second.map(|second| RecordingLanguage::Checked(code, second))
            }
            (AutoLanguage::Expected(code), Some(second)) => {
                let second = self.second(&chosen, second, Language::Expected(&code));
                second.map(|second| RecordingLanguage::Expected(code, second))
            }
            (AutoLanguage::Known(_) | AutoLanguage::Expected(_) | AutoLanguage::Unknown, _) => None,
        };
        let language = checked.map_or_else(|| chosen.language(spec), Ok)?;
        chosen.transcribe_in(&call, language, sink)
    }
}

/// What `auto` knows of the language before it chooses a model.
enum AutoLanguage {
    Known(String),
    Expected(String),
    /// Nobody speaks in the beginning, or no installed model detects languages.
    Unknown,
}

impl AutoLanguage {
    fn code(&self) -> Option<&str> {
        match self {
            Self::Known(code) | Self::Expected(code) => Some(code),
            Self::Unknown => None,
        }
    }
}

impl AutoSpeech {
    /// The best installed model that knows all languages.
    fn detector(&self) -> Option<Candidate> {
        let all_languages = |one: &&Candidate| one.entry.languages.is_empty();
        let multilingual: Vec<Candidate> = self.candidates.iter().filter(all_languages).cloned().collect();
        best_for(&multilingual, None).cloned()
    }

    fn opening_language(&self, call: &SpeechCall<'_>) -> Result<AutoLanguage, EngineError> {
        let Some(detector) = self.detector() else { return Ok(AutoLanguage::Unknown) };
        let loaded = load(&self.runtime, &detector.entry)?;
        let opening = opening_language(&loaded, call.audio, call.admission)?;
        Ok(opening.map_or(AutoLanguage::Unknown, AutoLanguage::Expected))
    }

    /// The model that checks segments of the chosen one; `None` if there is nothing to gain.
    fn second(&self, chosen: &LocalSpeech, second: Candidate, language: Language<'_>) -> Option<SecondModel> {
        let sure_from = sure_from(&chosen.entry, &second, language)?;
        Some(SecondModel { model: Box::new(self.local(&second.entry)), sure_from })
    }

    fn chosen(&self, language: Option<&str>, spec: &TranscriptionSpec) -> Result<LocalSpeech, EngineError> {
        let best = best_for(&self.candidates, language).ok_or_else(|| EngineError::UnsupportedLanguage {
            model: self.model.clone(),
            language: spec.language.clone().or(language.map(str::to_owned)).unwrap_or_default(),
        })?;
        Ok(self.local(&best.entry))
    }

    fn local(&self, entry: &CatalogModel) -> LocalSpeech {
        LocalSpeech { entry: entry.clone(), runtime: self.runtime.clone() }
    }
}
