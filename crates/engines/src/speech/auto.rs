//! The model `auto`: hears the language first, then takes the best installed model for it.

use std::sync::Arc;

use super::local::{Feeder, LocalSpeech, detect};
use super::{SpeechOptions, Transcript, language};
use crate::audio::AudioSource;
use crate::catalog::CatalogModel;
use crate::lifecycle::Nets;
use crate::scheduler::{Place, Scheduler};
use crate::{CallContext, EngineError, SpeechSink, Transcriber};

/// Speech models by preference, those that are installed.
pub(crate) struct AutoSpeech {
    pub(crate) model: String,
    /// Best first.
    pub(crate) candidates: Vec<CatalogModel>,
    pub(crate) nets: Arc<Nets>,
    pub(crate) scheduler: Arc<Scheduler>,
}

impl Transcriber for AutoSpeech {
    fn transcribe(
        &self,
        audio: &AudioSource,
        options: &SpeechOptions,
        sink: &mut dyn SpeechSink,
        context: &CallContext,
    ) -> Result<Transcript, EngineError> {
        let place = self.scheduler.admit(context)?;
        let language = match &options.language {
            Some(asked) => Some(language::primary(asked)),
            None => self.hear_language(&place, audio)?,
        };
        let entry = self.best_for(language.as_deref(), options)?.clone();
        let chosen = LocalSpeech { entry, nets: self.nets.clone(), scheduler: self.scheduler.clone() };
        let options = SpeechOptions { language, prompt: options.prompt.clone() };
        chosen.transcribe_in(&place, audio, &options, sink)
    }
}

impl AutoSpeech {
    /// The language of the first speech, by the smallest model that knows many; `None` where nobody speaks.
    fn hear_language(&self, place: &Place, audio: &AudioSource) -> Result<Option<String>, EngineError> {
        let size = |entry: &&CatalogModel| entry.files.iter().map(|file| file.bytes).sum::<u64>();
        let Some(listener) =
            self.candidates.iter().filter(|entry| entry.languages.is_empty()).min_by_key(size)
        else {
            return Ok(None);
        };
        let net = self.nets.get(listener)?;
        let mut feeder = Feeder::open(audio, &net)?;
        while !feeder.ended {
            let (fed, pieces) = place.submit(move |_| feeder.feed()).wait()?;
            feeder = fed;
            if let Some(piece) = pieces.into_iter().next() {
                return detect(place, &net, &Arc::new(piece));
            }
        }
        Ok(None)
    }

    fn best_for(
        &self,
        language: Option<&str>,
        options: &SpeechOptions,
    ) -> Result<&CatalogModel, EngineError> {
        let knows = |entry: &&CatalogModel| match language {
            Some(code) if entry.languages.is_empty() => language::WHISPER.contains(&code),
            Some(code) => entry.languages.iter().any(|known| known == code),
            None => true,
        };
        self.candidates.iter().find(knows).ok_or_else(|| EngineError::UnsupportedLanguage {
            model: self.model.clone(),
            language: options.language.clone().or(language.map(str::to_owned)).unwrap_or_default(),
        })
    }
}
