//! A transcription in progress: queues the segments, checks those whose language is doubtful, and reports the results in
//! order.

use std::sync::Arc;

use auris_audio::pipeline::{Consumer, Pending, Position};
use auris_audio::voice::VoiceSegment;
use auris_domain::transcript::{Segment, Transcript, duration_text};
use auris_engine_core::speech::{Transcription, Word};
use auris_engine_core::{Admission, EngineError, SpeechSink, Ticket, round_to_thousandths};
use auris_models::CatalogModel;

use crate::confidence::Calibration;
use crate::language_check::{LanguageCheck, LanguageSeconds};
use crate::speech_model::{Hints, LoadedSpeech, Recognised};
use crate::words::SegmentText;

/// What recognizes the segments of a recording.
pub(crate) struct Recognizer {
    pub(crate) model: Arc<LoadedSpeech>,
    pub(crate) hints: Hints,
    pub(crate) calibration: Calibration,
    /// Present if the segments may be in several languages.
    pub(crate) check: Option<LanguageCheck>,
}

/// A transcription in progress.
pub(crate) struct RunningTranscription<'a> {
    recognizer: Recognizer,
    sink: &'a mut dyn SpeechSink,
    text: String,
    segments: Vec<Segment>,
    languages: LanguageSeconds,
}

impl Consumer<VoiceSegment> for RunningTranscription<'_> {
    type Output = Recognised;

    fn submit(
        &mut self,
        segment: VoiceSegment,
        admission: &Admission,
    ) -> Result<Pending<Recognised>, EngineError> {
        let Recognizer { model, hints, calibration, .. } = &self.recognizer;
        let calibration = *calibration;
        let ticket = model.transcribe(segment, hints, admission);
        let ticket = ticket.map(move |recognised| calibration.calibrated(recognised));
        if hints.language.is_some() || hints.expected.is_some() {
            return Ok(Pending::Ticket(ticket));
        }
        // The language of the first words is expected in the rest.
        let recognised = self.wait_for(ticket, admission)?;
        if !recognised.segments.is_empty() {
            self.recognizer.hints.expected.clone_from(&recognised.language);
        }
        Ok(Pending::Done(recognised))
    }

    fn complete(
        &mut self,
        recognised: Recognised,
        admission: &Admission,
    ) -> Result<Pending<Recognised>, EngineError> {
        Ok(match &self.recognizer.check {
            Some(check) => check.resolve(recognised, admission),
            None => Pending::Done(recognised),
        })
    }

    fn receive(&mut self, recognised: Recognised, position: Position) {
        self.languages.add(&recognised);
        for segment in recognised.segments {
            self.report(segment);
        }
        self.sink.progress(recognised.end, position.total);
    }
}

impl<'a> RunningTranscription<'a> {
    pub(crate) fn new(recognizer: Recognizer, sink: &'a mut dyn SpeechSink) -> Self {
        Self {
            recognizer,
            sink,
            text: String::new(),
            segments: Vec::new(),
            languages: LanguageSeconds::default(),
        }
    }

    /// Waits for a segment and all opinions about it.
    fn wait_for(
        &mut self,
        mut ticket: Ticket<Recognised>,
        admission: &Admission,
    ) -> Result<Recognised, EngineError> {
        loop {
            match self.complete(ticket.wait()?, admission)? {
                Pending::Done(recognised) => return Ok(recognised),
                Pending::Ticket(further) => ticket = further,
            }
        }
    }

    fn report(&mut self, found: SegmentText) {
        let delta = if self.text.is_empty() { found.text.trim_start() } else { &found.text };
        self.sink.delta(delta);
        self.text.push_str(delta);
        let segment = Segment {
            id: self.segments.len() as u64,
            start: round_to_thousandths(found.start),
            end: round_to_thousandths(found.end),
            text: found.text.trim().to_owned(),
            words: found.words.into_iter().map(rounded).collect(),
        };
        self.sink.segment(&segment);
        self.segments.push(segment);
    }

    /// The transcription in its main language. `entry` is the model that was chosen for the recording.
    pub(crate) fn finish(self, duration_seconds: f64, entry: &CatalogModel) -> Transcription {
        self.sink.progress(duration_seconds, Some(duration_seconds));
        let language = self.languages.main().map(str::to_owned);
        let knows = |code: &String| entry.knows_language(code);
        let resolved_model = match self.recognizer.check {
            Some(check) if !language.iter().all(knows) => check.detector_id,
            Some(_) | None => entry.model.id.clone(),
        };
        let transcript = Transcript {
            language,
            text: self.text,
            duration_seconds: duration_text(duration_seconds),
            segments: self.segments,
            utterances: vec![],
        };
        Transcription { transcript, duration_seconds, resolved_model }
    }
}

fn rounded(word: Word) -> Word {
    Word { confidence: round_to_thousandths(word.confidence), ..word }
}
