//! Transcription with a model in this process: decode, cut into segments with speech, transcribe them side by side,
//! report the results in order.

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

use crate::moonshine::Moonshine;
use crate::speech_net::{Hints, Recognised, SpeechNet};
use crate::whisper::Whisper;
use crate::words::SegmentText;

/// Half-second blocks decoded at once: fifteen seconds, because the voice detector is fastest on many frames.
const BLOCKS: usize = 30;

/// A speech model in memory.
pub(crate) type SpeechModel = Box<dyn SpeechNet>;

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
        let place = self.runtime.scheduler.admit(context)?;
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
        let hints = Hints { language, prompt: spec.prompt.clone() };
        let mut running = RunningTranscription { model, hints, sink, text: String::new(), segments: vec![] };
        let ahead = 2 * self.runtime.scheduler.threads();
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
pub(crate) fn load(runtime: &Runtime, entry: &CatalogModel) -> Result<Arc<SpeechModel>, EngineError> {
    let id = &entry.model.id;
    let folder = runtime.models_dir.join(id);
    let key = ModelKey { id, bytes: entry.file_bytes() };
    runtime.loaded.get(key, || -> Result<SpeechModel, EngineError> {
        match entry.engine {
            EngineKind::Moonshine => Ok(Box::new(Moonshine::load(&folder)?)),
            EngineKind::Whisper => Ok(Box::new(Whisper::load(&folder, id)?)),
            EngineKind::Fake
            | EngineKind::Auto
            | EngineKind::Diarizer
            | EngineKind::BuiltInText
            | EngineKind::Gguf
            | EngineKind::Remote => {
                Err(EngineError::internal(format!("the model `{id}` is not a local speech model")))
            }
        }
    })
}

/// Opens a recording that is cut into the segments that the model needs.
pub(crate) fn open(audio: &AudioSource, model: &SpeechModel) -> Result<Feeder<SegmentCutter>, EngineError> {
    Feeder::open(audio, SegmentCutter::new(model.limits()), BLOCKS)
}

/// A transcription in progress.
struct RunningTranscription<'a> {
    model: Arc<SpeechModel>,
    hints: Hints,
    sink: &'a mut dyn SpeechSink,
    text: String,
    segments: Vec<Segment>,
}

/// The text of one segment and where the segment ends, in seconds.
struct Transcribed {
    recognised: Recognised,
    end: f64,
}

impl Consumer<VoiceSegment> for RunningTranscription<'_> {
    type Output = Transcribed;

    fn submit(&mut self, segment: VoiceSegment, place: &Place) -> Result<Pending<Transcribed>, EngineError> {
        let model = self.model.clone();
        let hints = self.hints.clone();
        let ticket = place.submit(move |worker| {
            let recognised = model.recognise(&segment, &hints, &|| worker.pause())?;
            Ok(Transcribed { recognised, end: segment.start + segment.seconds() })
        });
        if self.hints.language.is_some() {
            return Ok(Pending::Ticket(ticket));
        }
        // The language of the first segment applies to the rest.
        let transcribed = ticket.wait()?;
        self.hints.language.clone_from(&transcribed.recognised.language);
        Ok(Pending::Done(transcribed))
    }

    fn receive(&mut self, transcribed: Transcribed, position: Position) {
        for segment in transcribed.recognised.segments {
            self.report(segment);
        }
        self.sink.progress(transcribed.end, position.total);
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
