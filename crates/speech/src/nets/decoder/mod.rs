//! A decoder of any of the nets, for the rows of many sequences at once.

mod batch;
mod layer;
mod sequence;

use std::sync::Arc;

use auris_engine_core::EngineError;
use auris_kernels::{Epilogue, LayerNorm, Linear};

use super::alignment::{AlignmentHeads, upper_half};
use super::buffers::{Buffers, sized};
use super::layers::{AttentionNames, FeedForwardNames, Heads, Norm};
use super::loader::Loader;
use super::memory::{MemoryPool, MemoryShape, NumberFormat};
use super::positions::Positions;
use crate::net::{Feed, Pause, StepOutput, StepState};
use batch::Batch;
use layer::DecoderLayer;

pub(crate) use batch::StepBuffers;
pub(crate) use sequence::{EncodedAudio, Sequence};

/// The names of a decoder's parts.
pub(super) struct DecoderNames {
    /// Before the number of a layer.
    pub(super) layers: &'static str,
    /// The text's attention to itself.
    pub(super) own: AttentionNames,
    /// The text's attention to the audio.
    pub(super) audio: AttentionNames,
    pub(super) feed_forward: FeedForwardNames,
    pub(super) norm: &'static str,
    /// The embeddings of the tokens, which also score them in the end.
    pub(super) table: &'static str,
}

/// Frames whose keys and values for all layers are computed before those of the next ones. Fewer frames would read the
/// weights more often; more would delay a cancellation.
const FRAMES_AT_ONCE: usize = 512;

/// All layers of a decoder, with the table of tokens before and after them.
pub(super) struct Decoder {
    layers: Vec<DecoderLayer>,
    norm: Norm,
    table: Linear,
    positions: Positions,
    alignment: AlignmentHeads,
    shape: MemoryShape,
    text_memories: Arc<MemoryPool>,
    audio_memories: Arc<MemoryPool>,
}

/// What an encoder made of a segment.
pub(super) struct EncodedFrames<'a> {
    pub(super) floats: &'a [f32],
    /// Still to be applied to each frame.
    pub(super) norm: LayerNorm<'a>,
    /// The first frames that hold audio; the others are padding.
    pub(super) audio_frames: usize,
}

impl Decoder {
    /// A decoder with the alignment heads that suit most nets.
    pub(super) fn load(
        loader: &mut Loader<'_>,
        names: &DecoderNames,
        shape: MemoryShape,
        positions: Positions,
    ) -> Result<Self, EngineError> {
        let heads = Heads { count: shape.heads, width: shape.head_width };
        let layers = (0..shape.layers).map(|nth| DecoderLayer::load(loader, names, nth, heads));
        Ok(Self {
            layers: layers.collect::<Result<_, _>>()?,
            norm: Norm::load(loader, names.norm, heads.total())?,
            table: loader.linear(&[names.table.to_owned()], heads.total(), None)?,
            positions,
            alignment: upper_half(shape.layers, shape.heads),
            shape,
            text_memories: MemoryPool::new(shape, NumberFormat::Bfloat16),
            audio_memories: MemoryPool::new(shape, NumberFormat::Bfloat16),
        })
    }

    /// The same decoder with other alignment heads.
    pub(super) fn with_alignment(self, alignment: AlignmentHeads) -> Self {
        Self { alignment, ..self }
    }

    /// The same decoder with the keys and values of the audio as bytes.
    pub(super) fn with_compact_audio(self) -> Self {
        Self { audio_memories: MemoryPool::new(self.shape, NumberFormat::Bytes), ..self }
    }

    pub(super) fn vocabulary(&self) -> usize {
        self.table.outputs()
    }

    /// The bytes of audio with this number of frames, and of its sequences with this number of tokens and their scores.
    pub(super) fn memory(&self, frames: usize, tokens: usize, sequences: usize) -> usize {
        let sequence = self.text_memories.bytes(tokens) + self.vocabulary() * size_of::<f32>();
        self.audio_memories.bytes(frames) + sequences * sequence
    }

    /// Computes the keys and values of encoded frames, with a pause before each layer of each block of frames.
    pub(super) fn read_audio(
        &self,
        frames: EncodedFrames<'_>,
        buffers: &mut Buffers,
        pause: Pause<'_>,
    ) -> Result<EncodedAudio, EngineError> {
        let EncodedFrames { floats, norm, audio_frames } = frames;
        let width = self.table.inputs();
        let all_rows = floats.len() / width;
        let mut memory = self.audio_memories.take(all_rows);
        for floats in floats.chunks(FRAMES_AT_ONCE * width) {
            let rows = floats.len() / width;
            let both = sized(&mut buffers.joined, rows * 2 * width);
            buffers.quantized.fill_normalized(floats, norm);
            for (nth, layer) in self.layers.iter().enumerate() {
                pause()?;
                layer.audio.key_value.run(&buffers.quantized, both, Epilogue::Store);
                let heads = (0..width).step_by(self.shape.head_width).zip(memory.layer_mut(nth));
                for (at, head) in heads {
                    // Layer by layer: the system takes long to give so much memory.
                    head.reserve(all_rows);
                    head.extend(&both[at..], &both[width + at..], 2 * width, rows);
                }
            }
        }
        Ok(EncodedAudio { memory, audio_frames })
    }

    pub(super) fn begin(&self, audio: Arc<EncodedAudio>) -> Sequence {
        Sequence { audio, own: self.text_memories.take(0), position: 0 }
    }

    /// Makes a row for each token: its embedding, at its position.
    pub(super) fn begin_step(
        &self,
        feeds: &[Feed<'_, Sequence>],
        step: &mut StepBuffers,
        output: &mut StepOutput,
    ) {
        output.attention.clear();
        output.attention.resize_with(feeds.len(), Vec::new);
        let width = self.table.inputs();
        step.begin(feeds);
        step.floats.resize(step.rows.len() * width, 0.0);
        let tokens = feeds.iter().flat_map(|feed| feed.tokens);
        let rows = step.rows.iter().zip(step.floats.chunks_exact_mut(width));
        for (token, (row, floats)) in tokens.zip(rows) {
            // The tokenizer of a model that an operator added may know more tokens than its net.
            self.table.row((*token as usize).min(self.vocabulary() - 1), floats);
            self.positions.add_to(floats, row.position);
        }
    }

    /// Lets the rows through the next layer, or computes the scores after the last one.
    pub(super) fn continue_step(
        &self,
        feeds: &mut [Feed<'_, Sequence>],
        step: &mut StepBuffers,
        buffers: &mut Buffers,
        output: &mut StepOutput,
    ) -> StepState {
        let Some(layer) = self.layers.get(step.next_layer) else {
            feeds.iter_mut().for_each(|feed| feed.sequence.position += feed.tokens.len());
            self.score(step, buffers, output);
            return StepState::Done;
        };
        step.next_layer += 1;
        let StepBuffers { rows, floats, .. } = step;
        let mut batch = Batch { rows, floats, feeds, attention: &mut output.attention };
        layer.attend_to_text(&mut batch, self.positions.rotary(), buffers);
        layer.attend_to_audio(&mut batch, &self.alignment, buffers);
        layer.feed_forward.run(batch.floats, buffers);
        StepState::Unfinished
    }

    /// Scores the token after the last one of each feed.
    fn score(&self, step: &mut StepBuffers, buffers: &mut Buffers, output: &mut StepOutput) {
        step.last.clear();
        for (row, floats) in step.rows.iter().zip(step.floats.chunks_exact(self.table.inputs())) {
            if row.is_last {
                step.last.extend_from_slice(floats);
            }
        }
        buffers.quantized.fill_normalized(&step.last, self.norm.as_kernel());
        output.vocabulary = self.vocabulary();
        output.scores.resize(buffers.quantized.rows() * output.vocabulary, 0.0);
        self.table.run(&buffers.quantized, &mut output.scores, Epilogue::Store);
    }
}
