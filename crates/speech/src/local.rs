//! Transcription with a model in this process: decode, cut into segments with speech, transcribe them together with
//! those of other calls, report the results in order.

use std::sync::Arc;

use auris_audio::AudioSource;
use auris_audio::pipeline::{self, Consumer, Feeder, Pending, Position};
use auris_audio::voice::{SegmentCutter, VoiceSegment};
use auris_domain::step::spec::TranscriptionSpec;
use auris_domain::transcript::{Segment, Transcript, duration_text};
use auris_engine_core::speech::Transcription;
use auris_engine_core::{
    CallContext, EngineError, ModelKey, Place, Runtime, SpeechSink, Transcriber, language_code,
    round_to_thousandths,
};
use auris_models::{CatalogModel, EngineKind};

use crate::moonshine_model::Moonshine;
use crate::speech_model::{Hints, Prompt, Recognised, SpeechModel};
use crate::whisper_model::Whisper;
use crate::words::SegmentText;

/// Half-second blocks decoded at once: fifteen seconds, because the voice detector is fastest on many frames.
const BLOCKS: usize = 30;

/// A speech model in memory.
pub(crate) type LoadedSpeech = Box<dyn SpeechModel>;

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
        let place = self.runtime.scheduler.admit(&context)?;
        self.transcribe_in(&place, audio, spec, sink)
    }
}

impl LocalSpeech {
    /// Transcribes in a call that was already admitted.
    pub(crate) fn transcribe_in(
        &self,
        place: &Place,
        audio: &AudioSource,
        spec: &TranscriptionSpec,
        sink: &mut dyn SpeechSink,
    ) -> Result<Transcription, EngineError> {
        let language = self.language(spec)?;
        let model = load(&self.runtime, &self.entry)?;
        let feeder = open(audio, &model)?;
        let prompt = spec.prompt.as_deref().map_or(Ok(Prompt::default()), |text| model.prompt(text))?;
        let hints = Hints { language, prompt: Arc::new(prompt) };
        let ahead = segments_ahead(&model, self.runtime.scheduler.threads());
        let mut running = RunningTranscription { model, hints, sink, text: String::new(), segments: vec![] };
        let duration_seconds = pipeline::run(feeder, &mut running, place, ahead)?;
        Ok(running.finish(duration_seconds, &self.entry.model.id))
    }

    /// The requested language, or the only language of the model; `None` if the model has to detect it.
    fn language(&self, spec: &TranscriptionSpec) -> Result<Option<String>, EngineError> {
        match (&spec.language, self.entry.languages.as_slice()) {
            (None, [only]) => Ok(Some(only.clone())),
            (None, _) => Ok(None),
            (Some(asked), _) if self.entry.knows_language(asked) => Ok(Some(language_code::primary(asked))),
            (Some(asked), _) => Err(EngineError::UnsupportedLanguage {
                model: self.entry.model.id.clone(),
                language: asked.clone(),
            }),
        }
    }
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

/// A transcription in progress.
struct RunningTranscription<'a> {
    model: Arc<LoadedSpeech>,
    hints: Hints,
    sink: &'a mut dyn SpeechSink,
    text: String,
    segments: Vec<Segment>,
}

impl Consumer<VoiceSegment> for RunningTranscription<'_> {
    type Output = Recognised;

    fn submit(&mut self, segment: VoiceSegment, place: &Place) -> Result<Pending<Recognised>, EngineError> {
        let ticket = self.model.transcribe(segment, &self.hints, place);
        if self.hints.language.is_some() {
            return Ok(Pending::Ticket(ticket));
        }
        // The language of the first segment applies to the rest.
        let recognised = ticket.wait()?;
        self.hints.language.clone_from(&recognised.language);
        Ok(Pending::Done(recognised))
    }

    fn receive(&mut self, recognised: Recognised, position: Position) {
        for segment in recognised.segments {
            self.report(segment);
        }
        self.sink.progress(recognised.end, position.total);
    }
}

impl RunningTranscription<'_> {
    fn report(&mut self, found: SegmentText) {
        let delta = if self.text.is_empty() { found.text.trim_start() } else { &found.text };
        self.sink.delta(delta);
        self.text.push_str(delta);
        let segment = Segment {
            id: self.segments.len() as u64,
            start: round_to_thousandths(found.start),
            end: round_to_thousandths(found.end),
            text: found.text.trim().to_owned(),
            words: found.words,
        };
        self.sink.segment(&segment);
        self.segments.push(segment);
    }

    fn finish(self, duration_seconds: f64, model: &str) -> Transcription {
        self.sink.progress(duration_seconds, Some(duration_seconds));
        let transcript = Transcript {
            language: self.hints.language.filter(|_| !self.segments.is_empty()),
            text: self.text,
            duration_seconds: duration_text(duration_seconds),
            segments: self.segments,
            utterances: vec![],
        };
        Transcription { transcript, duration_seconds, resolved_model: model.to_owned() }
    }
}
