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

    /// Begins a step for all: each sequence is fed its tokens (one, or several at the beginning), and gets the scores after
    /// the last of them. What a sequence gets does not depend on the others.
    ///
    /// A step is computed in parts, so that its caller can check for cancelled calls between them.
    fn begin_step(
        &self,
        feeds: &mut [Feed<'_, Self::Sequence>],
        work: &mut Self::Workspace,
        output: &mut StepOutput,
    );

    /// Computes the next part of the step that was begun, with the same feeds, except those that have left it.
    fn continue_step(
        &self,
        feeds: &mut [Feed<'_, Self::Sequence>],
        work: &mut Self::Workspace,
        output: &mut StepOutput,
    ) -> StepState;

    /// Lets feeds leave the step between two of its parts: those that are not kept. Their sequences cannot be fed again.
    fn leave_step(&self, kept: &[bool], work: &mut Self::Workspace, output: &mut StepOutput);

    /// A whole step.
    #[cfg(test)]
    fn step(
        &self,
        feeds: &mut [Feed<'_, Self::Sequence>],
        work: &mut Self::Workspace,
        output: &mut StepOutput,
    ) {
        self.begin_step(feeds, work, output);
        while self.continue_step(feeds, work, output) == StepState::Unfinished {}
    }

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

/// Whether a step has more parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepState {
    Unfinished,
    /// The results are there.
    Done,
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
    /// Drops what there is of the feeds that are not kept.
    pub(crate) fn keep(&mut self, kept: &[bool]) {
        let mut kept = kept.iter();
        self.attention.retain(|_| kept.next() != Some(&false));
    }

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
