//! Whisper: 99 languages in windows of thirty seconds, with word times from its cross-attention.

mod alignment;
mod mel;
mod segments;
mod timestamps;
mod window;

use std::path::Path;

use auris_audio::SAMPLE_RATE;
use auris_audio::voice::{FRAME, SegmentLimits, VoiceSegment};
use auris_engine_core::{EngineError, language_code};
use auris_onnx::Net;
use rten::{NodeId, Value};
use rten_tensor::NdTensor;

use crate::decoder::{MergedDecoder, best};
use crate::speech_net::{Hints, Pause, Recognised, SpeechNet};
use crate::tokenizer::Tokenizer;
use crate::words::{ChosenToken, trim_to_voice};
use mel::{BINS, FRAMES, WINDOW, log_mel};
use timestamps::{FIRST_LANGUAGE, START, is_timestamp};

/// Samples per frame of the encoder's output.
const SAMPLES_PER_FRAME: usize = 320;
/// Minimum seconds of speech after the last timestamp that are transcribed in another window.
const MIN_REST_SECONDS: f64 = 0.4;
/// A frame with this probability of speech counts as speech in the rest.
const VOICED: f32 = 0.5;

/// A loaded Whisper model.
pub(crate) struct Whisper {
    encoder: Net,
    features: NodeId,
    encoded: NodeId,
    decoder: MergedDecoder,
    tokenizer: Tokenizer,
    /// Layer and head of the attention heads that follow the audio.
    alignment_heads: Vec<(usize, usize)>,
}

/// A window of a segment that went through the encoder.
struct EncodedWindow {
    encoded: Value,
    /// Encoder frames that hold audio; the rest is padding.
    frames: usize,
    /// Where the window begins in the recording, in seconds.
    start: f64,
}

impl Whisper {
    pub(crate) fn load(folder: &Path, model: &str) -> Result<Self, EngineError> {
        let encoder = Net::load_whisper_encoder(&folder.join("encoder_model_quantized.onnx"))?;
        Ok(Self {
            features: encoder.node("input_features")?,
            encoded: encoder.node("last_hidden_state")?,
            encoder,
            decoder: MergedDecoder::new(Net::load(&folder.join("decoder_model_merged_quantized.onnx"))?)?,
            tokenizer: Tokenizer::load(&folder.join("tokenizer.json"))?,
            alignment_heads: alignment_heads(model),
        })
    }

    fn encode(&self, samples: &[f32]) -> Result<Value, EngineError> {
        let spectrogram = NdTensor::from_data([1, BINS, FRAMES], log_mel(samples));
        Ok(self.encoder.run(vec![(self.features, spectrogram.into())], &[self.encoded])?.remove(0))
    }

    /// Encodes the window of a segment that starts at the sample `from`.
    fn encode_window(&self, segment: &VoiceSegment, from: usize) -> Result<EncodedWindow, EngineError> {
        let samples = &segment.samples[from..(from + WINDOW).min(segment.samples.len())];
        Ok(EncodedWindow {
            encoded: self.encode(samples)?,
            frames: (samples.len() / SAMPLES_PER_FRAME).clamp(1, FRAMES / 2),
            start: segment.start + from as f64 / f64::from(SAMPLE_RATE),
        })
    }

    fn language_of(&self, encoded: Value) -> Result<Option<String>, EngineError> {
        Ok(likeliest_language(&self.decoder.begin(encoded, false).step(&[START])?.last()))
    }
}

impl SpeechNet for Whisper {
    fn limits(&self) -> SegmentLimits {
        // Long segments, because a window costs the same however short its audio is.
        SegmentLimits { longest: 29.0, enough: 22.0, pause: 4.0 }
    }

    fn recognise(
        &self,
        segment: &VoiceSegment,
        hints: &Hints,
        pause: Pause<'_>,
    ) -> Result<Recognised, EngineError> {
        let mut hints = hints.clone();
        let mut segments = Vec::new();
        let mut from = 0;
        while from < segment.samples.len() {
            let window = self.encode_window(segment, from)?;
            pause()?;
            if hints.language.is_none() && hints.prompt.is_some() {
                hints.language = self.language_of(window.encoded.clone())?;
            }
            let decoded = self.decode_window(&window, &mut hints, pause)?;
            if decoded.has_speech() {
                let language = hints.language.as_deref().unwrap_or("en");
                segments.extend(self.segments(&decoded, &window, language));
            }
            match next_window(&decoded.chosen, segment, from) {
                Some(next) => from = next,
                None => break,
            }
        }
        segments.iter_mut().for_each(|text| trim_to_voice(text, segment));
        Ok(Recognised { language: hints.language, segments })
    }

    fn detect_language(&self, segment: &VoiceSegment) -> Result<Option<String>, EngineError> {
        self.language_of(self.encode(&segment.samples[..segment.samples.len().min(WINDOW)])?)
    }
}

/// The sample at which the next window starts, if the model stopped before the end of the speech: then its last two
/// tokens are timestamps.
fn next_window(chosen: &[ChosenToken], segment: &VoiceSegment, from: usize) -> Option<usize> {
    let [.., before, last] = chosen else { return None };
    if !is_timestamp(before.id) || !is_timestamp(last.id) {
        return None;
    }
    let next = from + (timestamps::seconds(last.id) * f64::from(SAMPLE_RATE)) as usize;
    let rest = segment.voice.get(next / FRAME..)?.iter().filter(|voice| **voice >= VOICED).count();
    let rest_seconds = (rest * FRAME) as f64 / f64::from(SAMPLE_RATE);
    (next > from && rest_seconds >= MIN_REST_SECONDS).then_some(next)
}

/// The most probable language by the scores after the start token.
fn likeliest_language(scores: &[f32]) -> Option<String> {
    let first = FIRST_LANGUAGE as usize;
    let (index, _) = best(scores.get(first..first + language_code::WHISPER.len())?);
    language_code::WHISPER.get(index as usize).map(|code| (*code).to_owned())
}

/// The heads that follow the audio, as published with the models; for other models all heads of two layers.
fn alignment_heads(model: &str) -> Vec<(usize, usize)> {
    match model {
        "whisper-tiny" => vec![(2, 2), (3, 0), (3, 2), (3, 3), (3, 4), (3, 5)],
        "whisper-base" => vec![(3, 1), (4, 2), (4, 3), (4, 7), (5, 1), (5, 2), (5, 4), (5, 6)],
        "whisper-small" => {
            vec![(5, 3), (5, 9), (8, 0), (8, 4), (8, 7), (8, 8), (9, 0), (9, 7), (9, 9), (10, 5)]
        }
        _ => (2..4).flat_map(|layer| (0..6).map(move |head| (layer, head))).collect(),
    }
}
