//! Moonshine: transcribes English segments of up to about twenty seconds. The cost grows with their length.

use std::path::Path;

use auris_audio::voice::{SegmentLimits, VoiceSegment};
use auris_engine_core::EngineError;
use auris_onnx::Net;
use rten::NodeId;
use rten_tensor::NdTensor;

use crate::decoder::{MergedDecoder, best};
use crate::repetition_guards::{has_words, loop_start};
use crate::speech_net::{Hints, Pause, Recognised, SpeechNet};
use crate::tokenizer::Tokenizer;
use crate::words::{ChosenToken, estimate_times, group_tokens, into_segments};

const LANGUAGE: &str = "en";
const BEGIN: u32 = 1;
const END: u32 = 2;
/// Maximum tokens per second of audio. Nobody speaks faster, so more tokens are hallucinated.
const TOKENS_PER_SECOND: f64 = 6.5;

/// A loaded Moonshine model.
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

    /// Decodes greedily until the end token, the token limit or a loop.
    fn decode(&self, segment: &VoiceSegment, pause: Pause<'_>) -> Result<Vec<ChosenToken>, EngineError> {
        let samples = NdTensor::from_data([1, segment.samples.len()], segment.samples.clone());
        let encoded = self.encoder.run(vec![(self.samples, samples.into())], &[self.encoded])?.remove(0);
        let mut decoding = self.decoder.begin(encoded, false);
        let limit = (segment.seconds() * TOKENS_PER_SECOND).ceil() as usize;
        let mut chosen: Vec<ChosenToken> = Vec::new();
        let mut ids = vec![];
        let mut next = BEGIN;
        while chosen.len() < limit {
            pause()?;
            let (id, probability) = best(&decoding.step(&[next])?.last());
            if id == END {
                break;
            }
            chosen.push(ChosenToken { id, probability });
            ids.push(id);
            next = id;
            if let Some(keep) = loop_start(&ids) {
                chosen.truncate(keep);
                break;
            }
        }
        Ok(chosen)
    }

    /// Transcribes the parts of a segment one by one, because the model found no words in the whole.
    fn recognise_parts(
        &self,
        segment: &VoiceSegment,
        hints: &Hints,
        pause: Pause<'_>,
    ) -> Result<Recognised, EngineError> {
        let mut all = Recognised::default();
        for part in segment.parts() {
            let recognised = self.recognise(&part, hints, pause)?;
            all.language = all.language.or(recognised.language);
            all.segments.extend(recognised.segments);
        }
        Ok(all)
    }
}

impl SpeechNet for Moonshine {
    fn limits(&self) -> SegmentLimits {
        SegmentLimits { longest: 20.0, enough: 8.0, pause: 2.0 }
    }

    fn recognise(
        &self,
        segment: &VoiceSegment,
        hints: &Hints,
        pause: Pause<'_>,
    ) -> Result<Recognised, EngineError> {
        let token_words = group_tokens(&self.decode(segment, pause)?, &self.tokenizer, LANGUAGE);
        if !token_words.iter().any(|word| has_words(&word.text)) {
            return self.recognise_parts(segment, hints, pause);
        }
        let words = estimate_times(&token_words, segment);
        let mut segments = into_segments(&token_words, words);
        // The first word of a decoding has no space before it.
        for segment in segments.iter_mut().filter(|segment| !segment.text.starts_with(' ')) {
            segment.text.insert(0, ' ');
        }
        Ok(Recognised { language: Some(LANGUAGE.into()), segments })
    }

    fn detect_language(&self, _: &VoiceSegment) -> Result<Option<String>, EngineError> {
        Ok(Some(LANGUAGE.into()))
    }
}
