//! Moonshine: English speech at a cost that grows with its length.

mod alignment_heads;
mod front_end;

use auris_engine_core::EngineError;
use auris_weights::ModelParts;

use super::decoder::{Decoder, DecoderNames};
use super::encoder::{Encoder, EncoderNames};
use super::encoder_decoder::EncoderDecoder;
use super::layers::{Activation, AttentionNames, FeedForwardNames, Heads};
use super::loader::Loader;
use super::memory::MemoryShape;
use super::positions::{Positions, Rotary};
use alignment_heads::alignment_heads;
use front_end::MoonshineFrontEnd;

/// A Moonshine net of any size.
pub(crate) type MoonshineNet = EncoderDecoder<MoonshineFrontEnd>;

const SELF_ATTENTION: AttentionNames = AttentionNames {
    norm: "input_layernorm",
    query: "self_attn.q_proj",
    key: "self_attn.k_proj",
    value: "self_attn.v_proj",
    out: "self_attn.o_proj",
};

const ENCODER: EncoderNames = EncoderNames {
    layers: "model.encoder.layers",
    attention: SELF_ATTENTION,
    feed_forward: FeedForwardNames {
        norm: "post_attention_layernorm",
        up: "mlp.fc1",
        down: "mlp.fc2",
        activation: Activation::Gelu,
    },
    norm: "model.encoder.layer_norm",
};

const DECODER: DecoderNames = DecoderNames {
    layers: "model.decoder.layers",
    own: SELF_ATTENTION,
    audio: AttentionNames {
        norm: "post_attention_layernorm",
        query: "encoder_attn.q_proj",
        key: "encoder_attn.k_proj",
        value: "encoder_attn.v_proj",
        out: "encoder_attn.o_proj",
    },
    feed_forward: FeedForwardNames {
        norm: "final_layernorm",
        up: "mlp.fc1",
        down: "mlp.fc2",
        activation: Activation::GatedSilu,
    },
    norm: "model.decoder.norm",
    table: "model.decoder.embed_tokens",
};

impl MoonshineNet {
    /// Builds the net. Fails if parts are missing or have the wrong size.
    pub(crate) fn load(parts: &mut dyn ModelParts) -> Result<Self, EngineError> {
        let config = *parts.config();
        let heads = Heads::of(&config)?;
        let shape =
            MemoryShape { layers: config.decoder_layers, heads: heads.count, head_width: heads.width };
        let rotary = || Rotary::new(config.rotary_width, config.rotary_base);
        let mut loader = Loader::new(parts);
        let encoder = Encoder::load(&mut loader, &ENCODER, config.encoder_layers, heads)?;
        let decoder = Decoder::load(&mut loader, &DECODER, shape, Positions::Rotary(rotary()))?;
        Ok(Self {
            front_end: MoonshineFrontEnd::load(&mut loader, heads.total())?,
            encoder: encoder.with_rotary(rotary()),
            decoder: decoder.with_alignment(alignment_heads(&config)),
            weight_bytes: loader.bytes(),
        })
    }
}
