//! The layers of an encoder: attention between all frames of a segment, one segment at a time.

use auris_engine_core::EngineError;
use auris_kernels::{Epilogue, KeyValues, LayerNorm, Queries, attend};

use super::buffers::{Buffers, sized};
use super::layers::{AttentionNames, FeedForward, FeedForwardNames, Heads, Norm, SelfAttention};
use super::loader::Loader;
use super::positions::Rotary;
use crate::net::Pause;

/// Rows that go through a part of a layer before the next ones: what is between two products, or between a product and
/// the keys and values that are made of it, stays in the second-level cache.
pub(super) const ROWS_AT_ONCE: usize = 128;
/// Rows of a head that attend to all rows before the next ones. A multiple of what the kernels compute at once, so that the
/// results do not depend on it.
const QUERIES_AT_ONCE: usize = 480;

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

    /// Encodes frames in place. Pauses often enough for long segments on slow processors.
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
        self.project(attention, frames, buffers, pause)?;
        self.attend(frames.len(), buffers, pause)?;
        let width = self.heads.total();
        let Buffers { quantized, attended, .. } = buffers;
        let attended = sized(attended, frames.len());
        let blocks = attended.chunks(ROWS_AT_ONCE * width).zip(frames.chunks_mut(ROWS_AT_ONCE * width));
        for (attended, frames) in blocks {
            pause()?;
            quantized.fill(attended, width);
            attention.out.run(quantized, frames, Epilogue::Add);
        }
        Ok(())
    }

    /// Lets the queries of all frames attend to all frames, head by head. `floats` is the number of floats in the frames.
    fn attend(&self, floats: usize, buffers: &mut Buffers, pause: Pause<'_>) -> Result<(), EngineError> {
        let width = self.heads.total();
        let Buffers { scratch, queries, attended, heads, .. } = buffers;
        let block = QUERIES_AT_ONCE * width;
        for (memory, at) in heads.iter().zip((0..width).step_by(self.heads.width)) {
            let blocks = queries[..floats].chunks(block).zip(sized(attended, floats).chunks_mut(block));
            for (queries, attended) in blocks {
                pause()?;
                let rows = queries.len() / width;
                let queries =
                    Queries { floats: &queries[at..], stride: width, rows, scale: self.heads.scale() };
                attend(queries, memory, &mut attended[at..], scratch);
            }
        }
        Ok(())
    }

    /// Empty keys and values for each head, in the memory that is reserved already.
    fn clear(&self, heads: &mut Vec<KeyValues>) {
        if heads.len() != self.heads.count || heads.iter().any(|head| head.width() != self.heads.width) {
            *heads = vec![KeyValues::new(self.heads.width); self.heads.count];
        }
        heads.iter_mut().for_each(KeyValues::clear);
    }

    /// Computes the queries, keys and values of all frames.
    fn project(
        &self,
        attention: &SelfAttention,
        frames: &[f32],
        buffers: &mut Buffers,
        pause: Pause<'_>,
    ) -> Result<(), EngineError> {
        let width = self.heads.total();
        let stride = 3 * width;
        let Buffers { quantized, joined, queries, heads, .. } = buffers;
        let queries = sized(queries, frames.len());
        self.clear(heads);
        let blocks = frames.chunks(ROWS_AT_ONCE * width).zip(queries.chunks_mut(ROWS_AT_ONCE * width));
        for (nth, (frames, queries)) in blocks.enumerate() {
            pause()?;
            let rows = frames.len() / width;
            let joined = sized(joined, rows * stride);
            quantized.fill_normalized(frames, attention.norm.as_kernel());
            attention.joined.run(quantized, joined, Epilogue::Store);
            let results = joined.chunks_exact_mut(stride).zip(queries.chunks_exact_mut(width));
            for (position, (row, query)) in results.enumerate() {
                if let Some(rotary) = &self.rotary {
                    let position = nth * ROWS_AT_ONCE + position;
                    rotary.rotate(&mut row[..2 * width], self.heads.width, position);
                }
                query.copy_from_slice(&row[..width]);
            }
            for (memory, at) in heads.iter_mut().zip((width..).step_by(self.heads.width)) {
                memory.extend(&joined[at..], &joined[width + at..], stride, rows);
            }
        }
        Ok(())
    }
}
