//! The layers of an encoder: attention between all frames of a piece, one piece at a time.

use auris_engine_core::EngineError;
use auris_kernels::{Epilogue, KeyValues, LayerNorm, Queries, attend};

use super::buffers::{Buffers, sized};
use super::layers::{AttentionNames, FeedForward, FeedForwardNames, Heads, Norm, SelfAttention};
use super::loader::Loader;
use super::positions::Rotary;
use crate::net::Pause;

/// Rows that go through both products of a feed-forward part before the next ones: what is between the products stays
/// in the second-level cache.
const ROWS_AT_ONCE: usize = 128;

/// The names of an encoder's parts.
pub(super) struct EncoderNames {
    /// Before the number of a layer.
    pub(super) layers: &'static str,
    pub(super) attention: AttentionNames,
    pub(super) feed_forward: FeedForwardNames,
    pub(super) norm: &'static str,
}

/// All layers of an encoder and its last norm.
pub(super) struct Encoder {
    layers: Vec<EncoderLayer>,
    norm: Norm,
    heads: Heads,
    rotary: Option<Rotary>,
}

struct EncoderLayer {
    attention: SelfAttention,
    feed_forward: FeedForward,
}

impl Encoder {
    pub(super) fn load(
        loader: &mut Loader<'_>,
        names: &EncoderNames,
        layers: usize,
        heads: Heads,
    ) -> Result<Self, EngineError> {
        let width = heads.total();
        let layers = (0..layers).map(|nth| {
            let layer = format!("{}.{nth}", names.layers);
            Ok(EncoderLayer {
                attention: SelfAttention::load(loader, &layer, &names.attention, width)?,
                feed_forward: FeedForward::load(loader, &layer, &names.feed_forward, width)?,
            })
        });
        let layers = layers.collect::<Result<_, EngineError>>()?;
        Ok(Self { layers, norm: Norm::load(loader, names.norm, width)?, heads, rotary: None })
    }

    /// The same encoder with rotary positions.
    pub(super) fn with_rotary(self, rotary: Rotary) -> Self {
        Self { rotary: Some(rotary), ..self }
    }

    /// The norm that is still to be applied to the frames that `run` returns.
    pub(super) fn last_norm(&self) -> LayerNorm<'_> {
        self.norm.as_kernel()
    }

    /// Encodes frames in place. Pauses often enough for long pieces on slow processors.
    pub(super) fn run(
        &self,
        frames: &mut [f32],
        buffers: &mut Buffers,
        pause: Pause<'_>,
    ) -> Result<(), EngineError> {
        for layer in &self.layers {
            self.attention(&layer.attention, frames, buffers, pause)?;
            for some in frames.chunks_mut(ROWS_AT_ONCE * self.heads.total()) {
                pause()?;
                layer.feed_forward.run(some, buffers);
            }
        }
        Ok(())
    }

    fn attention(
        &self,
        attention: &SelfAttention,
        frames: &mut [f32],
        buffers: &mut Buffers,
        pause: Pause<'_>,
    ) -> Result<(), EngineError> {
        pause()?;
        let width = self.heads.total();
        let (rows, stride) = (frames.len() / width, 3 * width);
        let Buffers { quantized, scratch, joined, attended, head, .. } = buffers;
        let (joined, attended) = (sized(joined, rows * stride), sized(attended, rows * stride));
        quantized.fill_normalized(frames, attention.norm.as_kernel());
        attention.joined.run(quantized, joined, Epilogue::Store);
        if let Some(rotary) = &self.rotary {
            for (position, row) in joined.chunks_exact_mut(stride).enumerate() {
                rotary.rotate(&mut row[..2 * width], self.heads.width, position);
            }
        }
        if head.width() != self.heads.width {
            *head = KeyValues::new(self.heads.width);
        }
        for at in (0..width).step_by(self.heads.width) {
            pause()?;
            head.clear();
            head.extend(&joined[width + at..], &joined[2 * width + at..], stride, rows);
            let queries = Queries { floats: &joined[at..], stride, rows, scale: self.heads.scale() };
            attend(queries, head, &mut attended[at..], scratch);
        }
        quantized.fill_strided(attended, width, stride);
        attention.out.run(quantized, frames, Epilogue::Add);
        Ok(())
    }
}
