//! Whisper of any size, with an audio context as long as the segment.

mod alignment_heads;
mod front_end;
mod mel;
mod special_tokens;

use auris_engine_core::EngineError;
use auris_weights::ModelParts;

use super::decoder::{Decoder, DecoderNames};
use super::encoder::{Encoder, EncoderNames};
use super::encoder_decoder::EncoderDecoder;
use super::layers::{Activation, AttentionNames, FeedForwardNames, Heads};
use super::loader::Loader;
use super::memory::MemoryShape;
use super::positions::Positions;
use alignment_heads::{Architecture, alignment_heads};
use front_end::WhisperFrontEnd;

pub(crate) use special_tokens::SpecialTokens;

/// A Whisper net of any size.
pub(crate) type WhisperNet = EncoderDecoder<WhisperFrontEnd>;

const SELF_ATTENTION: AttentionNames = AttentionNames {
    norm: "attn_ln",
    query: "attn.query",
    key: "attn.key",
    value: "attn.value",
    out: "attn.out",
};

const FEED_FORWARD: FeedForwardNames =
    FeedForwardNames { norm: "mlp_ln", up: "mlp.0", down: "mlp.2", activation: Activation::Gelu };

const ENCODER: EncoderNames = EncoderNames {
    layers: "encoder.blocks",
    attention: SELF_ATTENTION,
    feed_forward: FEED_FORWARD,
    norm: "encoder.ln_post",
};

const DECODER: DecoderNames = DecoderNames {
    layers: "decoder.blocks",
    own: SELF_ATTENTION,
    audio: AttentionNames {
        norm: "cross_attn_ln",
        query: "cross_attn.query",
        key: "cross_attn.key",
        value: "cross_attn.value",
        out: "cross_attn.out",
    },
    feed_forward: FEED_FORWARD,
    norm: "decoder.ln",
    table: "decoder.token_embedding",
};

impl WhisperNet {
    /// Builds the net. Fails if parts are missing or have the wrong size.
    pub(crate) fn load(parts: &mut dyn ModelParts) -> Result<Self, EngineError> {
        let config = *parts.config();
        let heads = Heads::of(&config)?;
        let shape =
            MemoryShape { layers: config.decoder_layers, heads: heads.count, head_width: heads.width };
        let architecture = Architecture::of(&config);
        let mut loader = Loader::new(parts);
        let positions =
            loader.vector("decoder.positional_embedding", config.text_positions * heads.total())?;
        let decoder = Decoder::load(&mut loader, &DECODER, shape, Positions::Learned(positions))?;
        Ok(Self {
            front_end: WhisperFrontEnd::load(&mut loader, &config)?,
            encoder: Encoder::load(&mut loader, &ENCODER, config.encoder_layers, heads)?,
            // With up to 1,500 frames, a step mostly reads the keys and values of the audio.
            decoder: decoder.with_alignment(alignment_heads(&architecture)).with_compact_audio(),
            weight_bytes: loader.bytes(),
        })
    }

    /// The tokens that are not words. Fails if the net's vocabulary is not one of Whisper's.
    pub(crate) fn special_tokens(&self) -> Result<SpecialTokens, EngineError> {
        SpecialTokens::of_vocabulary(self.decoder.vocabulary())
    }
}
