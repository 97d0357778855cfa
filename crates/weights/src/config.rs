//! The sizes of a model, wherever they are written: in `config.json`, in the head of a GGML file, or in the shapes of
//! an ONNX file.

use serde::{Deserialize, Serialize};

use crate::error::WeightsError;

/// The two kinds of speech net.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    Moonshine,
    Whisper,
}

/// The sizes of a model. They are checked: no number is zero that must not be, and `heads × head_width = width`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    pub family: Family,
    /// Floats per frame and per token.
    pub width: usize,
    pub encoder_layers: usize,
    pub decoder_layers: usize,
    /// Attention heads of every layer, encoder and decoder alike.
    pub heads: usize,
    pub head_width: usize,
    /// Inner width of the feed-forward part of an encoder layer.
    pub encoder_feed_forward: usize,
    /// Inner width of the feed-forward part of a decoder layer. Moonshine's first product has twice as many outputs:
    /// values and gates.
    pub decoder_feed_forward: usize,
    /// Mel bands of the spectrum; 0 for Moonshine, which reads samples.
    pub mel_bins: usize,
    /// Tokens, including the special ones.
    pub vocabulary: usize,
    /// Frames of the encoder's table of positions; 0 for Moonshine, which has none.
    pub audio_positions: usize,
    /// Tokens of the decoder's table of positions; for Moonshine, the longest text that it was trained on, or 0.
    pub text_positions: usize,
    /// Leading dimensions of each head that rotary positions rotate; 0 for Whisper.
    pub rotary_width: usize,
    /// Base of the rotary angles; 0 for Whisper.
    pub rotary_base: f32,
}

/// No published model comes near these. They keep a hostile file from asking for absurd amounts of memory.
const MAX_WIDTH: usize = 1 << 14;
const MAX_FEED_FORWARD: usize = 1 << 16;
const MAX_LAYERS: usize = 256;
const MAX_POSITIONS: usize = 1 << 20;

impl ModelConfig {
    /// Fails if the sizes contradict each other or are absurd.
    pub(crate) fn checked(self) -> Result<Self, WeightsError> {
        let ranges = [
            ("width", self.width, 1, MAX_WIDTH),
            ("number of encoder layers", self.encoder_layers, 1, MAX_LAYERS),
            ("number of decoder layers", self.decoder_layers, 1, MAX_LAYERS),
            ("number of heads", self.heads, 1, self.width),
            ("feed-forward width", self.encoder_feed_forward, 1, MAX_FEED_FORWARD),
            ("feed-forward width", self.decoder_feed_forward, 1, MAX_FEED_FORWARD),
            ("vocabulary", self.vocabulary, 1, MAX_POSITIONS),
            ("number of mel bands", self.mel_bins, self.least_for_whisper(), 1024),
            ("number of audio positions", self.audio_positions, self.least_for_whisper(), MAX_POSITIONS),
            ("number of text positions", self.text_positions, self.least_for_whisper(), MAX_POSITIONS),
            ("rotary width", self.rotary_width, 0, self.head_width),
        ];
        for (name, value, least, most) in ranges {
            if !(least..=most).contains(&value) {
                return Err(WeightsError::damaged(format!(
                    "the {name} is {value}; it must be from {least} to {most}"
                )));
            }
        }
        if self.family == Family::Moonshine && !(self.rotary_base.is_finite() && self.rotary_base > 0.0) {
            let base = self.rotary_base;
            return Err(WeightsError::damaged(format!("the base of the rotary angles is {base}")));
        }
        if self.heads * self.head_width != self.width {
            let width = self.width;
            let heads = self.heads;
            return Err(WeightsError::damaged(format!(
                "the width {width} is not a multiple of {heads} heads"
            )));
        }
        Ok(self)
    }

    fn least_for_whisper(&self) -> usize {
        match self.family {
            Family::Whisper => 1,
            Family::Moonshine => 0,
        }
    }
}
