//! Moonshine: English speech of any length up to about twenty seconds, at a cost that grows with it.

use std::path::Path;

use rten::NodeId;
use rten_tensor::NdTensor;

use super::decoder::{MergedDecoder, best};
use super::guards;
use super::net::Net;
use super::pieces::{Piece, PieceLimits};
use super::tokenizer::Tokenizer;
use super::words::{Said, into_segments, reckon_times, spell};
use super::{Hints, Pause, Recognised, SpeechNet};
use crate::EngineError;

const BEGIN: u32 = 1;
const END: u32 = 2;
/// Nobody speaks faster; a net that goes on invents.
const TOKENS_PER_SECOND: f64 = 6.5;

/// The nets of one Moonshine model.
pub(crate) struct Moonshine {
    encoder: Net,
    samples: NodeId,
    encoded: NodeId,
    decoder: MergedDecoder,
    tokenizer: Tokenizer,
}

impl Moonshine {
    pub(crate) fn load(folder: &Path) -> Result<Self, EngineError> {
        let encoder = Net::load(&folder.join("encoder_model.onnx"))?;
        Ok(Self {
            samples: encoder.node("input_values")?,
            encoded: encoder.node("last_hidden_state")?,
            encoder,
            decoder: MergedDecoder::new(Net::load(&folder.join("decoder_model_merged.onnx"))?)?,
            tokenizer: Tokenizer::load(&folder.join("tokenizer.json"))?,
        })
    }

    fn say(&self, piece: &Piece, pause: Pause<'_>) -> Result<Vec<Said>, EngineError> {
        let samples = NdTensor::from_data([1, piece.samples.len()], piece.samples.clone());
        let encoded = self.encoder.run(vec![(self.samples, samples.into())], &[self.encoded])?.remove(0);
        let mut decoding = self.decoder.begin(encoded, false);
        let most = (piece.seconds() * TOKENS_PER_SECOND).ceil() as usize;
        let mut said: Vec<Said> = Vec::new();
        let mut next = BEGIN;
        while said.len() < most {
            pause()?;
            let (token, probability) = best(&decoding.step(&[next])?.last());
            if token == END {
                break;
            }
            said.push(Said { token, probability });
            next = token;
            if let Some(keep) = guards::loop_start(&said.iter().map(|said| said.token).collect::<Vec<_>>()) {
                said.truncate(keep);
                break;
            }
        }
        Ok(said)
    }

    /// The net said nothing: it may of each part by itself.
    fn recognise_parts(
        &self,
        piece: &Piece,
        hints: &Hints,
        pause: Pause<'_>,
    ) -> Result<Recognised, EngineError> {
        let mut all = Recognised::default();
        for part in piece.parts() {
            let recognised = self.recognise(&part, hints, pause)?;
            all.language = all.language.or(recognised.language);
            all.heard.extend(recognised.heard);
        }
        Ok(all)
    }
}

impl SpeechNet for Moonshine {
    fn limits(&self) -> PieceLimits {
        PieceLimits { longest: 20.0, enough: 8.0, pause: 2.0 }
    }

    fn recognise(&self, piece: &Piece, hints: &Hints, pause: Pause<'_>) -> Result<Recognised, EngineError> {
        let spelled = spell(&self.say(piece, pause)?, &self.tokenizer, "en");
        if !spelled.iter().any(|word| guards::says_something(&word.text)) {
            return self.recognise_parts(piece, hints, pause);
        }
        let words = reckon_times(&spelled, piece);
        let mut heard = into_segments(&spelled, words);
        // Every piece begins anew, so its first word carries no space.
        for segment in heard.iter_mut().filter(|segment| !segment.text.starts_with(' ')) {
            segment.text.insert(0, ' ');
        }
        Ok(Recognised { language: Some("en".into()), heard })
    }

    fn detect_language(&self, _: &Piece) -> Result<Option<(String, f32)>, EngineError> {
        Ok(Some(("en".into(), 1.0)))
    }
}
