//! Fake speech: five-second segments of numbered words wherever the audio is not silent.

use auris_audio::{AudioSource, AudioStream, SAMPLE_RATE};
use auris_domain::step::output::{Diarization, Speaker, SpeakerTurn};
use auris_domain::step::spec::{DiarizationSpec, TranscriptionSpec};
use auris_domain::transcript::{Segment, Transcript, Word, duration_text};
use auris_engine_core::diarization::DiarizedAudio;
use auris_engine_core::speech::Transcription;
use auris_engine_core::{
    CallContext, Diarizer, EngineError, ProgressSink, SpeechSink, Transcriber, round_to_thousandths,
};

use super::directives;

const WINDOW_SECONDS: f64 = 5.0;
const WINDOW: usize = 5 * SAMPLE_RATE as usize;
const WORD_SECONDS: f64 = 0.5;

/// One window of the audio.
struct Window {
    start: f64,
    end: f64,
    silent: bool,
}

/// Says `word1 word2 …`, two a second.
pub(crate) struct FakeSpeech {
    model: String,
}

impl FakeSpeech {
    pub(crate) fn new(model: &str) -> Self {
        Self { model: model.to_owned() }
    }
}

impl Transcriber for FakeSpeech {
    fn transcribe(
        &self,
        audio: &AudioSource,
        spec: &TranscriptionSpec,
        sink: &mut dyn SpeechSink,
        context: &CallContext,
    ) -> Result<Transcription, EngineError> {
        let prompt = spec.prompt.as_deref().unwrap_or_default();
        let mut text = String::new();
        let mut segments = Vec::new();
        let mut words = 0;
        let duration_seconds = each_window(audio, context, |window, total| {
            directives::obey(prompt, "transcription", context)?;
            if !window.silent {
                let segment = segment(segments.len() as u64, &window, &mut words);
                let delta = if text.is_empty() { segment.text.clone() } else { format!(" {}", segment.text) };
                sink.delta(&delta);
                sink.segment(&segment);
                text.push_str(&delta);
                segments.push(segment);
            }
            sink.progress(window.end, total);
            Ok(())
        })?;
        let language = spec.language.clone().unwrap_or_else(|| "en".into());
        let transcript = Transcript {
            text,
            language: (!segments.is_empty()).then_some(language),
            duration_seconds: duration_text(duration_seconds),
            segments,
            utterances: vec![],
        };
        Ok(Transcription { transcript, duration_seconds, resolved_model: self.model.clone() })
    }
}

/// Two speakers who take turns every five seconds.
pub(crate) struct FakeDiarizer;

impl Diarizer for FakeDiarizer {
    fn diarize(
        &self,
        audio: &AudioSource,
        spec: &DiarizationSpec,
        sink: &mut dyn ProgressSink,
        context: &CallContext,
    ) -> Result<DiarizedAudio, EngineError> {
        let speakers = spec.max_speakers.unwrap_or(2).clamp(1, 2) as usize;
        let mut turns: Vec<SpeakerTurn> = Vec::new();
        let duration_seconds = each_window(audio, context, |window, total| {
            if !window.silent {
                let speaker = ["A", "B"][turns.len() % speakers].to_owned();
                turns.push(SpeakerTurn {
                    speaker,
                    start: round_to_thousandths(window.start),
                    end: round_to_thousandths(window.end),
                });
            }
            sink.progress(window.end, total);
            Ok(())
        })?;
        let diarization = Diarization { speakers: speakers_of(&turns), turns };
        Ok(DiarizedAudio { diarization, duration_seconds })
    }
}

fn speakers_of(turns: &[SpeakerTurn]) -> Vec<Speaker> {
    let mut speakers: Vec<Speaker> = Vec::new();
    for turn in turns {
        let seconds = turn.end - turn.start;
        match speakers.iter_mut().find(|speaker| speaker.id == turn.speaker) {
            Some(speaker) => speaker.seconds = round_to_thousandths(speaker.seconds + seconds),
            None => {
                speakers.push(Speaker { id: turn.speaker.clone(), seconds: round_to_thousandths(seconds) })
            }
        }
    }
    speakers
}

/// Decodes the recording and shows it window by window; returns its length.
fn each_window(
    audio: &AudioSource,
    context: &CallContext,
    mut show: impl FnMut(Window, Option<f64>) -> Result<(), EngineError>,
) -> Result<f64, EngineError> {
    let mut stream = AudioStream::open(audio)?;
    let mut samples: Vec<f32> = Vec::new();
    let mut start = 0.0;
    while let Some(block) = stream.next_block()? {
        context.check()?;
        samples.extend(block);
        while samples.len() >= WINDOW {
            show(window(start, &samples[..WINDOW]), stream.declared_seconds())?;
            samples.drain(..WINDOW);
            start += WINDOW_SECONDS;
        }
    }
    if !samples.is_empty() {
        show(window(start, &samples), Some(stream.seconds()))?;
    }
    Ok(stream.seconds())
}

fn window(start: f64, samples: &[f32]) -> Window {
    let silent = samples.iter().all(|sample| sample.abs() < 1e-4);
    Window { start, end: start + samples.len() as f64 / f64::from(SAMPLE_RATE), silent }
}

fn segment(id: u64, window: &Window, said: &mut usize) -> Segment {
    let count = ((window.end - window.start) / WORD_SECONDS).ceil().max(1.0) as usize;
    let words: Vec<Word> = (0..count).map(|nth| word(window, nth, said)).collect();
    let text = words.iter().map(|word| word.word.as_str()).collect::<Vec<_>>().join(" ");
    Segment {
        id,
        start: round_to_thousandths(window.start),
        end: round_to_thousandths(window.end),
        text,
        words,
    }
}

fn word(window: &Window, nth: usize, said: &mut usize) -> Word {
    *said += 1;
    let start = window.start + nth as f64 * WORD_SECONDS;
    let end = (start + WORD_SECONDS).min(window.end);
    Word {
        word: format!("word{said}"),
        start: round_to_thousandths(start),
        end: round_to_thousandths(end),
        confidence: 1.0,
    }
}
