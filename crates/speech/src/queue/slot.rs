//! One task that is being decoded.

use std::sync::Arc;

use auris_engine_core::{CallContext, WorkMemory};

use super::lane::TakenTask;
use crate::net::{Feed, Net, ScoredRow};
use crate::task::{Next, NextRow};

/// A task with its encoded window and the state of its decoding.
pub(super) struct Slot<N: Net> {
    taken: TakenTask,
    audio: Arc<N::Audio>,
    rows: Vec<Row<N::Sequence>>,
    /// The most rows of its window.
    max_rows: usize,
    memory: WorkMemory,
    pub(super) window_is_done: bool,
    pub(super) has_panicked: bool,
}

/// A window after the encoder.
pub(super) struct EncodedWindow<N: Net> {
    pub(super) audio: N::Audio,
    pub(super) max_rows: usize,
    pub(super) memory: WorkMemory,
}

/// One of the texts that a task decodes side by side.
struct Row<S> {
    sequence: S,
    /// The tokens to feed in the next step.
    tokens: Vec<u32>,
}

impl<N: Net> Slot<N> {
    /// Starts decoding an encoded window of a task.
    pub(super) fn new(net: &N, mut taken: TakenTask, window: EncodedWindow<N>) -> Self {
        let EncodedWindow { audio, max_rows, memory } = window;
        let audio = Arc::new(audio);
        let rows = vec![Row { sequence: net.begin(audio.clone()), tokens: taken.task.start() }];
        Self { taken, audio, rows, max_rows, memory, window_is_done: false, has_panicked: false }
    }

    /// The most rows that the task decodes side by side.
    pub(super) fn max_rows(&self) -> usize {
        self.max_rows
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.taken.is_cancelled()
    }

    pub(super) fn is_of(&self, call: &CallContext) -> bool {
        self.taken.is_of(call)
    }

    /// The memory that it occupies.
    pub(super) fn bytes(&self) -> u64 {
        self.memory.bytes()
    }

    /// What each row is fed in the next step.
    pub(super) fn feeds(&mut self) -> impl Iterator<Item = Feed<'_, N::Sequence>> {
        let with_attention = self.taken.task.needs_attention();
        let rows = self.rows.iter_mut();
        rows.map(move |row| Feed { sequence: &mut row.sequence, tokens: &row.tokens, with_attention })
    }

    /// The task, without what was decoded.
    pub(super) fn into_task(self) -> TakenTask {
        self.taken
    }

    /// Passes the results of a step to the task: takes those of its rows.
    pub(super) fn advance<'a>(&mut self, net: &N, results: &mut impl Iterator<Item = ScoredRow<'a>>) {
        let mut scored: Vec<_> = results.take(self.rows.len()).collect();
        match self.taken.task.next_rows(&mut scored) {
            Next::Feed(tokens) => {
                self.rows.truncate(1);
                if let Some(row) = self.rows.first_mut() {
                    row.tokens = tokens;
                }
            }
            Next::Rows(next) => self.continue_rows(net, &next),
            Next::Restart => {
                self.rows.clear();
                let sequence = net.begin(self.audio.clone());
                self.rows.push(Row { sequence, tokens: self.taken.task.start() });
            }
            Next::Done => self.window_is_done = true,
        }
    }

    /// Replaces the rows. The last one that continues a row takes its sequence, the others fork it.
    fn continue_rows(&mut self, net: &N, next: &[NextRow]) {
        // Those that none continues are dropped first, so that their memory is used again.
        let is_continued = |nth: usize| next.iter().any(|row| row.parent == nth);
        let rows = self.rows.drain(..).enumerate();
        let mut parents: Vec<Option<N::Sequence>> =
            rows.map(|(nth, row)| is_continued(nth).then_some(row.sequence)).collect();
        for (nth, row) in next.iter().enumerate() {
            let Some(parent) = parents.get_mut(row.parent) else { continue };
            let is_last = next[nth + 1..].iter().all(|later| later.parent != row.parent);
            let sequence = if is_last { parent.take() } else { parent.as_ref().map(|it| net.fork(it)) };
            self.rows.extend(sequence.map(|sequence| Row { sequence, tokens: vec![row.token] }));
        }
    }
}
