//! Transcription with a model in this process: decode, cut into segments with speech, transcribe them together with
//! those of other calls.

use std::sync::Arc;

use auris_audio::AudioSource;
use auris_audio::pipeline::{self, Feeder};
use auris_audio::voice::SegmentCutter;
use auris_domain::step::spec::TranscriptionSpec;
use auris_engine_core::speech::Transcription;
use auris_engine_core::{
    Admission, CallContext, EngineError, ModelKey, Runtime, SpeechSink, Transcriber, language_code,
};
use auris_models::{CatalogModel, EngineKind};

use crate::confidence::Calibration;
use crate::language_check::LanguageCheck;
use crate::moonshine_model::Moonshine;
use crate::running_transcription::{Recognizer, RunningTranscription};
use crate::speech_model::{Hints, LoadedSpeech, Prompt};
use crate::whisper_model::Whisper;

/// Half-second blocks decoded at once: fifteen seconds, because the voice detector is fastest on many frames.
const BLOCKS: usize = 30;

/// A speech model of the catalogue that runs in this process.
pub struct LocalSpeech {
    pub entry: CatalogModel,
    pub runtime: Runtime,
}

impl Transcriber for LocalSpeech {
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
        self.transcribe_in(&call, self.language(spec)?, sink)
    }
}

/// A recording to transcribe, in a call that was already admitted.
pub(crate) struct SpeechCall<'a> {
    pub(crate) admission: &'a Admission,
    pub(crate) audio: &'a AudioSource,
    pub(crate) prompt: Option<&'a str>,
}

/// What is known about the language of a recording before it is transcribed.
pub(crate) enum RecordingLanguage {
    /// The whole recording is in this language.
    Fixed(String),
    /// The same, and another model checks the segments of which the first one is unsure.
    Checked(String, SecondModel),
    /// Each segment is in the language that the model detects.
    Detected,
    /// Most segments are in this language. A multilingual model, which is the second one, checks those that may not be.
    Expected(String, SecondModel),
}

/// A model that checks segments of another one.
pub(crate) struct SecondModel {
    pub(crate) model: Box<LocalSpeech>,
    /// The mean probability of tokens from which on a model for one language is not checked.
    pub(crate) sure_from: f32,
}

impl LocalSpeech {
    pub(crate) fn transcribe_in(
        &self,
        call: &SpeechCall<'_>,
        language: RecordingLanguage,
        sink: &mut dyn SpeechSink,
    ) -> Result<Transcription, EngineError> {
        let model = load(&self.runtime, &self.entry)?;
        let feeder = open(call.audio, &model)?;
        let prompt = prepared(&model, call.prompt)?;
        let mut hints = Hints { prompt, ..Hints::default() };
        let check = match language {
            RecordingLanguage::Fixed(language) => {
                hints.language = Some(language);
                None
            }
            RecordingLanguage::Checked(language, second) => {
                hints = Hints { language: Some(language.clone()), sure_from: second.sure_from, ..hints };
                Some(second.model.language_check(call.prompt, Some(language))?)
            }
            RecordingLanguage::Detected => Some(self.language_check(call.prompt, None)?),
            RecordingLanguage::Expected(expected, second) => {
                hints = Hints { expected: Some(expected), sure_from: second.sure_from, ..hints };
                Some(second.model.language_check(call.prompt, None)?)
            }
        };
        hints.checks_language = check.is_some();
        let ahead = segments_ahead(&model, self.runtime.scheduler.threads());
        let calibration = Calibration::of(&self.entry);
        let mut running = RunningTranscription::new(Recognizer { model, hints, calibration, check }, sink);
        let duration_seconds = pipeline::run(feeder, &mut running, call.admission, ahead)?;
        Ok(running.finish(duration_seconds, &self.entry))
    }

    /// A check of doubtful segments with this model. `language` is that of the whole recording, if the caller named it.
    fn language_check(
        &self,
        prompt: Option<&str>,
        language: Option<String>,
    ) -> Result<LanguageCheck, EngineError> {
        let detector = load(&self.runtime, &self.entry)?;
        let prompt = prepared(&detector, prompt)?;
        let calibration = Calibration::of(&self.entry);
        let detector_id = self.entry.model.id.clone();
        Ok(LanguageCheck { detector, detector_id, calibration, prompt, language })
    }

    /// The requested language, or the only language of the model. Otherwise the model has to detect it.
    pub(crate) fn language(&self, spec: &TranscriptionSpec) -> Result<RecordingLanguage, EngineError> {
        match (&spec.language, self.entry.languages.as_slice()) {
            (None, [only]) => Ok(RecordingLanguage::Fixed(only.clone())),
            (None, _) => Ok(RecordingLanguage::Detected),
            (Some(asked), _) if self.entry.knows_language(asked) => {
                Ok(RecordingLanguage::Fixed(language_code::primary(asked)))
            }
            (Some(asked), _) => Err(EngineError::UnsupportedLanguage {
                model: self.entry.model.id.clone(),
                language: asked.clone(),
            }),
        }
    }
}

/// The prompt of a call for a model.
fn prepared(model: &LoadedSpeech, prompt: Option<&str>) -> Result<Arc<Prompt>, EngineError> {
    Ok(Arc::new(prompt.map_or(Ok(Prompt::default()), |text| model.prompt(text))?))
}

/// Returns the speech model of a catalogue entry, loading it if necessary.
pub(crate) fn load(runtime: &Runtime, entry: &CatalogModel) -> Result<Arc<LoadedSpeech>, EngineError> {
    let id = &entry.model.id;
    let folder = runtime.models_dir.join(id);
    let key = ModelKey { id, bytes: entry.file_bytes() };
    runtime.loaded.get(key, || {
        let model: LoadedSpeech = match entry.engine {
            EngineKind::Moonshine => Box::new(Moonshine::load(&folder, id, runtime)?),
            EngineKind::Whisper => Box::new(Whisper::load(&folder, entry, runtime)?),
            EngineKind::Fake
            | EngineKind::Auto
            | EngineKind::Diarizer
            | EngineKind::BuiltInText
            | EngineKind::Gguf
            | EngineKind::Remote => {
                return Err(EngineError::internal(format!("the model `{id}` is not a local speech model")));
            }
        };
        runtime.loaded.set_bytes(id, model.weight_bytes());
        Ok(model)
    })
}

/// Maximum segments of a new call that are cut ahead of its results: what keeps the model busy, shared with the calls that
/// run already, so that many long recordings do not occupy much memory.
fn segments_ahead(model: &Arc<LoadedSpeech>, threads: usize) -> usize {
    // One reference is that of the cache.
    let calls = Arc::strong_count(model).saturating_sub(1).max(1);
    (model.capacity() / calls).max(2 * threads)
}

/// Opens a recording that is cut into the segments that the model needs.
pub(crate) fn open(audio: &AudioSource, model: &LoadedSpeech) -> Result<Feeder<SegmentCutter>, EngineError> {
    Feeder::open(audio, SegmentCutter::new(model.limits()), BLOCKS)
}
