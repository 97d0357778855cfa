//! What decoding needs of a speech net. Nothing here knows the processor: a GPU can implement it too.

use std::sync::Arc;

use auris_engine_core::EngineError;

/// Called between two parts of the work: an error if the call was cancelled; lets more urgent work run.
pub(crate) type Pause<'a> = &'a dyn Fn() -> Result<(), EngineError>;

/// Audio for the encoder.
#[derive(Clone, Copy)]
pub(crate) struct NetInput<'a> {
    /// 16 kHz samples.
    pub(crate) samples: &'a [f32],
    pub(crate) margin: Margin,
}

impl<'a> From<&'a [f32]> for NetInput<'a> {
    fn from(samples: &'a [f32]) -> Self {
        Self { samples, margin: Margin::Short }
    }
}

/// How much silence a net that needs silence after the audio reads there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Margin {
    /// As little as clear speech needs.
    Short,
    /// As much as in the training of the net: slower, and better for speech that is hard to understand.
    Full,
}

/// An encoder and a decoder with attention to the encoded audio.
pub(crate) trait Net: Send + Sync + 'static {
    /// What the encoder computed for a segment, with keys and values for every layer of the decoder.
    type Audio: Send + Sync + 'static;
    /// A decoding in progress: its own keys and values, its position and its audio.
    type Sequence: Send + 'static;
    /// The buffers of one thread.
    type Workspace: Default + Send + 'static;

    /// Encodes audio. Calls `pause` between layers and returns its error.
    fn encode(
        &self,
        input: NetInput<'_>,
        work: &mut Self::Workspace,
        pause: Pause<'_>,
    ) -> Result<Self::Audio, EngineError>;

    /// Starts decoding a segment. Several sequences may decode the same audio.
    fn begin(&self, audio: Arc<Self::Audio>) -> Self::Sequence;

    /// Another sequence with the same audio and the same tokens so far. Both go on independently.
    fn fork(&self, sequence: &Self::Sequence) -> Self::Sequence;

    /// One step for all: feeds each sequence its tokens (one, or several at the beginning) and computes the scores after
    /// the last of them. What a sequence gets does not depend on the others.
    fn step(
        &self,
        feeds: &mut [Feed<'_, Self::Sequence>],
        work: &mut Self::Workspace,
        output: &mut StepOutput,
    );

    /// The bytes that a window occupies while it is decoded.
    fn memory(&self, planned: PlannedWindow) -> u64;
}

/// Audio that memory is planned for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlannedWindow {
    pub(crate) seconds: f64,
    pub(crate) margin: Margin,
    /// The sequences that decode it side by side.
    pub(crate) sequences: usize,
    /// The tokens of the context that each of them is fed.
    pub(crate) prompt: usize,
}

impl PlannedWindow {
    /// Audio of this length that one sequence decodes without a context.
    pub(crate) fn of_seconds(seconds: f64) -> Self {
        Self { seconds, margin: Margin::Short, sequences: 1, prompt: 0 }
    }
}

/// The tokens that one sequence gets in a step.
pub(crate) struct Feed<'a, S> {
    pub(crate) sequence: &'a mut S,
    pub(crate) tokens: &'a [u32],
    /// Whether to return the attention to the audio after the last token.
    pub(crate) with_attention: bool,
}

/// The result of a step. Kept and refilled.
#[derive(Default)]
pub(crate) struct StepOutput {
    /// A row of `vocabulary` scores per feed, for the token after its last one.
    pub(crate) scores: Vec<f32>,
    pub(crate) vocabulary: usize,
    /// Per feed the weights of the alignment heads after its last token, head × frame of audio; each row sums to one.
    /// Empty unless asked for.
    pub(crate) attention: Vec<Vec<Vec<f32>>>,
}

impl StepOutput {
    /// The result of each feed, in their order.
    pub(crate) fn rows(&mut self) -> impl Iterator<Item = ScoredRow<'_>> {
        let scores = self.scores.chunks_exact_mut(self.vocabulary.max(1));
        scores.zip(&self.attention).map(|(scores, attention)| ScoredRow { scores, attention })
    }
}

/// The result of a step for one feed.
pub(crate) struct ScoredRow<'a> {
    pub(crate) scores: &'a mut [f32],
    /// Head × frame of audio.
    pub(crate) attention: &'a [Vec<f32>],
}
