//! A whole net: what makes frames of samples, an encoder and a decoder.

use std::sync::Arc;

use auris_engine_core::EngineError;

use super::buffers::Buffers;
use super::decoder::{Decoder, EncodedAudio, EncodedFrames, Sequence, StepBuffers};
use super::encoder::Encoder;
use crate::net::{Feed, Margin, Net, NetInput, Pause, PlannedWindow, StepOutput, StepState};

/// Tokens per second of speech that memory is planned for; most speech has four.
const TOKENS_PER_SECOND: f64 = 8.0;
/// Further tokens that memory is planned for: the opening ones, and some of a short segment.
const OTHER_TOKENS: usize = 32;

/// Makes the first frames of a segment; the part in which the nets differ most.
pub(crate) trait FrontEnd: Send + Sync + 'static {
    /// Its buffers of one thread.
    type Buffers: Default + Send + 'static;

    /// Replaces `frames` by those of the audio, padded with silence where the net needs it. Returns how many hold
    /// audio. Calls `pause` between parts of the work. Fails if there are more samples than the net can take.
    fn run(
        &self,
        input: NetInput<'_>,
        work: FrontEndWork<'_, Self::Buffers>,
        pause: Pause<'_>,
    ) -> Result<usize, EngineError>;

    /// The number of frames of this many samples, with padding.
    fn frames(&self, samples: usize, margin: Margin) -> usize;
}

/// What a front end writes to.
pub(crate) struct FrontEndWork<'a, B> {
    pub(crate) buffers: &'a mut B,
    pub(crate) frames: &'a mut Vec<f32>,
}

/// A net of attention layers after a front end.
pub(crate) struct EncoderDecoder<F> {
    pub(super) front_end: F,
    pub(super) encoder: Encoder,
    pub(super) decoder: Decoder,
    pub(super) weight_bytes: u64,
}

impl<F> EncoderDecoder<F> {
    /// The memory that the weights occupy.
    pub(crate) fn weight_bytes(&self) -> u64 {
        self.weight_bytes
    }
}

/// The buffers of one thread, kept from segment to segment.
#[derive(Default)]
pub(crate) struct Workspace<B> {
    front_end: B,
    frames: Vec<f32>,
    step: StepBuffers,
    buffers: Buffers,
}

impl<F: FrontEnd> Net for EncoderDecoder<F> {
    type Audio = EncodedAudio;
    type Sequence = Sequence;
    type Workspace = Workspace<F::Buffers>;

    fn encode(
        &self,
        input: NetInput<'_>,
        work: &mut Self::Workspace,
        pause: Pause<'_>,
    ) -> Result<EncodedAudio, EngineError> {
        let Workspace { front_end, frames, buffers, .. } = work;
        let audio_frames =
            self.front_end.run(input, FrontEndWork { buffers: front_end, frames: &mut *frames }, pause)?;
        self.encoder.run(frames, buffers, pause)?;
        let encoded = EncodedFrames { floats: frames, norm: self.encoder.last_norm(), audio_frames };
        self.decoder.read_audio(encoded, buffers, pause)
    }

    fn begin(&self, audio: Arc<EncodedAudio>) -> Sequence {
        self.decoder.begin(audio)
    }

    fn fork(&self, sequence: &Sequence) -> Sequence {
        sequence.fork()
    }

    fn begin_step(
        &self,
        feeds: &mut [Feed<'_, Sequence>],
        work: &mut Self::Workspace,
        output: &mut StepOutput,
    ) {
        self.decoder.begin_step(feeds, &mut work.step, output);
    }

    fn continue_step(
        &self,
        feeds: &mut [Feed<'_, Sequence>],
        work: &mut Self::Workspace,
        output: &mut StepOutput,
    ) -> StepState {
        self.decoder.continue_step(feeds, &mut work.step, &mut work.buffers, output)
    }

    fn leave_step(&self, kept: &[bool], work: &mut Self::Workspace, output: &mut StepOutput) {
        work.step.keep(kept);
        output.keep(kept);
    }

    fn memory(&self, planned: PlannedWindow) -> u64 {
        let PlannedWindow { seconds, margin, sequences, prompt } = planned;
        let samples = (seconds * f64::from(auris_audio::SAMPLE_RATE)) as usize;
        let tokens = (seconds * TOKENS_PER_SECOND) as usize + OTHER_TOKENS + prompt;
        self.decoder.memory(self.front_end.frames(samples, margin), tokens, sequences) as u64
    }
}
