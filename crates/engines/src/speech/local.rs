//! A transcription on nets of this process: decode, cut at speech, recognise side by side, tell in order.

use std::collections::VecDeque;
use std::sync::Arc;

use super::pieces::{Cutter, Piece};
use super::words::Heard;
use super::{Hints, Recognised, Segment, SpeechNet, SpeechOptions, Transcript, language, milliseconds};
use crate::audio::{AudioSource, AudioStream};
use crate::catalog::CatalogModel;
use crate::lifecycle::Nets;
use crate::scheduler::{Place, Scheduler, Ticket};
use crate::{CallContext, EngineError, SpeechSink, Transcriber};

/// Audio decoded in one piece of work, in blocks: about fifteen seconds.
const BLOCKS: usize = 30;

/// A speech model of the catalogue that runs here.
pub(crate) struct LocalSpeech {
    pub(crate) entry: CatalogModel,
    pub(crate) nets: Arc<Nets>,
    pub(crate) scheduler: Arc<Scheduler>,
}

impl Transcriber for LocalSpeech {
    fn transcribe(
        &self,
        audio: &AudioSource,
        options: &SpeechOptions,
        sink: &mut dyn SpeechSink,
        context: &CallContext,
    ) -> Result<Transcript, EngineError> {
        let place = self.scheduler.admit(context)?;
        self.transcribe_in(&place, audio, options, sink)
    }
}

impl LocalSpeech {
    /// Transcribes on a place that the caller already has.
    pub(crate) fn transcribe_in(
        &self,
        place: &Place,
        audio: &AudioSource,
        options: &SpeechOptions,
        sink: &mut dyn SpeechSink,
    ) -> Result<Transcript, EngineError> {
        let language = self.known_language(options)?;
        let net = self.nets.get(&self.entry)?;
        let feeder = Feeder::open(audio, &net)?;
        let hints = Hints { language, prompt: options.prompt.clone() };
        let ahead = 2 * self.scheduler.threads();
        let mut run = Run { place, net, hints, ahead, pending: VecDeque::new(), told: Told::default() };
        let duration_seconds = run.all(feeder, sink)?;
        Ok(run.told.into_transcript(duration_seconds, run.hints.language, &self.entry.model.id))
    }

    /// What the caller said, where the model knows it; a model of one language needs no telling.
    fn known_language(&self, options: &SpeechOptions) -> Result<Option<String>, EngineError> {
        let languages = &self.entry.languages;
        let Some(asked) = &options.language else {
            return Ok(if languages.len() == 1 { languages.first().cloned() } else { None });
        };
        let primary = language::primary(asked);
        let known = if languages.is_empty() {
            language::WHISPER.contains(&primary.as_str())
        } else {
            languages.contains(&primary)
        };
        if known {
            return Ok(Some(primary));
        }
        Err(EngineError::UnsupportedLanguage { model: self.entry.model.id.clone(), language: asked.clone() })
    }
}

/// The recording on its way into pieces; it travels into each piece of decoding work and back.
pub(crate) struct Feeder {
    stream: AudioStream,
    cutter: Cutter,
    pub(crate) ended: bool,
}

impl Feeder {
    pub(crate) fn open(audio: &AudioSource, net: &Arc<dyn SpeechNet>) -> Result<Self, EngineError> {
        let (stream, cutter) = (AudioStream::open(audio)?, Cutter::new(net.limits()));
        Ok(Self { stream, cutter, ended: false })
    }

    /// Decodes some more and gives the pieces that it completes.
    pub(crate) fn feed(mut self) -> Result<(Self, Vec<Piece>), EngineError> {
        let mut samples = Vec::new();
        for _ in 0..BLOCKS {
            match self.stream.next_block()? {
                Some(block) => samples.extend(block),
                None => {
                    self.ended = true;
                    break;
                }
            }
        }
        // Many frames at once suit the voice net better than few.
        let mut pieces = self.cutter.push(&samples)?;
        if self.ended {
            pieces.extend(self.cutter.finish()?);
        }
        Ok((self, pieces))
    }
}

/// One transcription under way.
struct Run<'a> {
    place: &'a Place,
    net: Arc<dyn SpeechNet>,
    hints: Hints,
    /// How many pieces may wait or run at once.
    ahead: usize,
    pending: VecDeque<(f64, Pending)>,
    told: Told,
}

/// A piece that was sent off, or is back already.
enum Pending {
    Ticket(Ticket<Recognised>),
    Done(Recognised),
}

impl Pending {
    fn wait(self) -> Result<Recognised, EngineError> {
        match self {
            Self::Ticket(ticket) => ticket.wait(),
            Self::Done(recognised) => Ok(recognised),
        }
    }
}

impl Run<'_> {
    fn all(&mut self, mut feeder: Feeder, sink: &mut dyn SpeechSink) -> Result<f64, EngineError> {
        loop {
            while self.pending.len() < self.ahead && !feeder.ended {
                let (fed, pieces) = self.place.submit(move |_| feeder.feed()).wait()?;
                feeder = fed;
                for piece in pieces {
                    self.recognise(piece)?;
                }
            }
            let total =
                if feeder.ended { Some(feeder.stream.seconds()) } else { feeder.stream.declared_seconds() };
            let Some((end, ticket)) = self.pending.pop_front() else { break };
            self.told.tell(ticket.wait()?.heard, sink);
            sink.progress(end, total);
        }
        let seconds = feeder.stream.seconds();
        sink.progress(seconds, Some(seconds));
        Ok(seconds)
    }

    fn recognise(&mut self, piece: Piece) -> Result<(), EngineError> {
        let (net, hints, end) = (self.net.clone(), self.hints.clone(), piece.start + piece.seconds());
        let ticket = self.place.submit(move |worker| net.recognise(&piece, &hints, &|| worker.pause()));
        if self.hints.language.is_some() {
            self.pending.push_back((end, Pending::Ticket(ticket)));
            return Ok(());
        }
        // The first piece tells the language of the rest.
        let recognised = ticket.wait()?;
        self.hints.language.clone_from(&recognised.language);
        self.pending.push_back((end, Pending::Done(recognised)));
        Ok(())
    }
}

/// The language of a piece, by a net that can tell.
pub(crate) fn detect(
    place: &Place,
    net: &Arc<dyn SpeechNet>,
    piece: &Arc<Piece>,
) -> Result<Option<String>, EngineError> {
    let (net, piece) = (net.clone(), piece.clone());
    let found = place.submit(move |_| net.detect_language(&piece)).wait()?;
    Ok(found.map(|(language, _)| language))
}

/// What was told so far.
#[derive(Default)]
struct Told {
    text: String,
    segments: Vec<Segment>,
}

impl Told {
    fn tell(&mut self, heard: Vec<Heard>, sink: &mut dyn SpeechSink) {
        for heard in heard {
            let delta = if self.text.is_empty() { heard.text.trim_start() } else { &heard.text };
            sink.delta(delta);
            self.text.push_str(delta);
            let segment = Segment {
                id: self.segments.len() as u64,
                start: milliseconds(heard.start),
                end: milliseconds(heard.end),
                text: heard.text.trim().to_owned(),
                words: heard.words,
            };
            sink.segment(&segment);
            self.segments.push(segment);
        }
    }

    fn into_transcript(self, duration_seconds: f64, language: Option<String>, model: &str) -> Transcript {
        let language = language.filter(|_| !self.segments.is_empty());
        let (text, segments) = (self.text, self.segments);
        Transcript { text, language, duration_seconds, segments, resolved_model: model.to_owned() }
    }
}
