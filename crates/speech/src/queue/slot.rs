//! One task that is being decoded.

use std::sync::Arc;

use auris_engine_core::WorkMemory;

use super::lane::TakenTask;
use crate::net::{Feed, Net};
use crate::task::Next;

/// A task with its encoded window and the state of its decoding.
pub(super) struct Slot<N: Net> {
    taken: TakenTask,
    audio: Arc<N::Audio>,
    sequence: N::Sequence,
    /// The tokens to feed in the next step.
    tokens: Vec<u32>,
    memory: WorkMemory,
    pub(super) window_is_done: bool,
}

impl<N: Net> Slot<N> {
    /// Starts decoding an encoded window of a task.
    pub(super) fn new(net: &N, mut taken: TakenTask, audio: N::Audio, memory: WorkMemory) -> Self {
        let audio = Arc::new(audio);
        let sequence = net.begin(audio.clone());
        let tokens = taken.task.start();
        Self { taken, audio, sequence, tokens, memory, window_is_done: false }
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.taken.is_cancelled()
    }

    /// The memory that it occupies.
    pub(super) fn bytes(&self) -> u64 {
        self.memory.bytes()
    }

    pub(super) fn feed(&mut self) -> Feed<'_, N::Sequence> {
        let with_attention = self.taken.task.needs_attention();
        Feed { sequence: &mut self.sequence, tokens: &self.tokens, with_attention }
    }

    /// The task, without what was decoded.
    pub(super) fn into_task(self) -> TakenTask {
        self.taken
    }

    /// Passes the result of a step to the task.
    pub(super) fn advance(&mut self, net: &N, scores: &mut [f32], attention: &[Vec<f32>]) {
        match self.taken.task.next(scores, attention) {
            Next::Feed(tokens) => self.tokens = tokens,
            Next::Restart => {
                self.sequence = net.begin(self.audio.clone());
                self.tokens = self.taken.task.start();
            }
            Next::Done => self.window_is_done = true,
        }
    }
}
