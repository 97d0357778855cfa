//! A layer of a decoder: attention to the text so far, attention to the audio, and a feed-forward part.

use auris_engine_core::EngineError;
use auris_kernels::{Epilogue, Linear, attend};

use super::DecoderNames;
use super::batch::Batch;
use super::sequence::EncodedAudio;
use crate::nets::alignment::normalized;
use crate::nets::buffers::{Buffers, sized};
use crate::nets::layers::{AttentionNames, FeedForward, Heads, Norm, SelfAttention};
use crate::nets::loader::Loader;
use crate::nets::positions::Rotary;

pub(super) struct DecoderLayer {
    nth: usize,
    heads: Heads,
    own: SelfAttention,
    pub(super) audio: CrossAttention,
    pub(super) feed_forward: FeedForward,
}

/// Attention of the text to the audio.
pub(super) struct CrossAttention {
    norm: Norm,
    query: Linear,
    /// Keys and values of the audio in one product.
    pub(super) key_value: Linear,
    out: Linear,
}

impl DecoderLayer {
    pub(super) fn load(
        loader: &mut Loader<'_>,
        names: &DecoderNames,
        nth: usize,
        heads: Heads,
    ) -> Result<Self, EngineError> {
        let layer = format!("{}.{nth}", names.layers);
        let width = heads.total();
        Ok(Self {
            nth,
            heads,
            own: SelfAttention::load(loader, &layer, &names.own, width)?,
            audio: CrossAttention::load(loader, &layer, &names.audio, width)?,
            feed_forward: FeedForward::load(loader, &layer, &names.feed_forward, width)?,
        })
    }

    /// Remembers each row and lets it attend to the rows of its sequence up to itself. Row by row, so that what a row
    /// gets does not depend on how many share the step.
    pub(super) fn attend_to_text(
        &self,
        batch: &mut Batch<'_, '_>,
        rotary: Option<&Rotary>,
        buffers: &mut Buffers,
    ) {
        let width = self.heads.total();
        let head_width = self.heads.width;
        let Buffers { quantized, scratch, joined, attended, .. } = buffers;
        let joined = sized(joined, batch.rows.len() * 3 * width);
        let attended = sized(attended, batch.rows.len() * width);
        quantized.fill_normalized(batch.floats, self.own.norm.as_kernel());
        self.own.joined.run(quantized, joined, Epilogue::Store);
        let results = joined.chunks_exact_mut(3 * width).zip(attended.chunks_exact_mut(width));
        for (row, (joined, attended)) in batch.rows.iter().zip(results) {
            if let Some(rotary) = rotary {
                rotary.rotate(&mut joined[..2 * width], head_width, row.position);
            }
            let memories = batch.feeds[row.feed].sequence.own.layer_mut(self.nth);
            for (at, memory) in (0..width).step_by(head_width).zip(memories) {
                memory.extend(&joined[width + at..], &joined[2 * width + at..], 3 * width, 1);
                attend(self.heads.query(&joined[at..]), memory, &mut attended[at..], scratch);
            }
        }
        quantized.fill(attended, width);
        self.own.out.run(quantized, batch.floats, Epilogue::Add);
    }

    /// Lets each row attend to its audio. Keeps the weights of the alignment heads where they are asked for.
    pub(super) fn attend_to_audio(
        &self,
        batch: &mut Batch<'_, '_>,
        alignment: &[(usize, usize)],
        buffers: &mut Buffers,
    ) {
        let width = self.heads.total();
        let head_width = self.heads.width;
        let Buffers { quantized, scratch, joined, attended, .. } = buffers;
        let joined = sized(joined, batch.rows.len() * width);
        let attended = sized(attended, batch.rows.len() * width);
        quantized.fill_normalized(batch.floats, self.audio.norm.as_kernel());
        self.audio.query.run(quantized, joined, Epilogue::Store);
        let results = joined.chunks_exact(width).zip(attended.chunks_exact_mut(width));
        for (row, (joined, attended)) in batch.rows.iter().zip(results) {
            let feed = &batch.feeds[row.feed];
            let EncodedAudio { memory, audio_frames } = &*feed.sequence.audio;
            let with_attention = feed.with_attention && row.is_last;
            for (head, memory) in memory.layer(self.nth).iter().enumerate() {
                let at = head * head_width;
                attend(self.heads.query(&joined[at..]), memory, &mut attended[at..], scratch);
                if with_attention && alignment.contains(&(self.nth, head)) {
                    let weights = scratch.last_weights(memory.len());
                    batch.attention[row.feed].push(normalized(weights, *audio_frames));
                }
            }
        }
        quantized.fill(attended, width);
        self.audio.out.run(quantized, batch.floats, Epilogue::Add);
    }
}

impl CrossAttention {
    fn load(
        loader: &mut Loader<'_>,
        layer: &str,
        names: &AttentionNames,
        width: usize,
    ) -> Result<Self, EngineError> {
        let of = |part: &str| format!("{layer}.{part}");
        Ok(Self {
            norm: Norm::load(loader, &of(names.norm), width)?,
            query: loader.linear(&[of(names.query)], width, Some(width))?,
            key_value: loader.linear(&[of(names.key), of(names.value)], width, Some(2 * width))?,
            out: loader.linear(&[of(names.out)], width, Some(width))?,
        })
    }
}
