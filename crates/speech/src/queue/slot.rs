//! One task that is being decoded.

use std::sync::Arc;

use auris_engine_core::{CallContext, WorkMemory};

use super::lane::TakenTask;
use crate::net::{Feed, Net, ScoredRow};
use crate::task::{Next, NextRow};

/// Tokens that are fed whole: those of a step in the middle of a text, and the opening ones.
const FEW_TOKENS: usize = 4;
/// Maximum tokens of longer feeds in a step, of all tasks together. A prompt has up to 200: fed at once, it would occupy
/// the thread for up to a tenth of a second, in which no other task goes on.
pub(super) const MAX_PROMPT_TOKENS: usize = 32;

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
    /// The tokens to feed in the next steps. Several rows have one each.
    tokens: Vec<u32>,
    /// How many of them are fed in the current step.
    feeding: usize,
}

impl<S> Row<S> {
    fn new(sequence: S, tokens: Vec<u32>) -> Self {
        Self { sequence, tokens, feeding: 0 }
    }

    /// Decides how many tokens are fed now. Those of a long feed are taken from `left`.
    fn plan(&mut self, left: &mut usize) {
        self.feeding = self.tokens.len();
        if self.feeding > FEW_TOKENS {
            self.feeding = self.feeding.min(*left);
            *left -= self.feeding;
        }
    }

    /// What is fed now. The attention is wanted only after the last token.
    fn feed(&mut self, needs_attention: bool) -> Option<Feed<'_, S>> {
        let with_attention = needs_attention && self.feeding == self.tokens.len();
        let tokens = &self.tokens[..self.feeding];
        (!tokens.is_empty()).then_some(Feed { sequence: &mut self.sequence, tokens, with_attention })
    }

    /// Drops the tokens that were fed. Returns whether there are more.
    fn drop_fed(&mut self) -> bool {
        self.tokens.drain(..self.feeding);
        !self.tokens.is_empty()
    }
}

impl<N: Net> Slot<N> {
    /// Starts decoding an encoded window of a task.
    pub(super) fn new(net: &N, mut taken: TakenTask, window: EncodedWindow<N>) -> Self {
        let EncodedWindow { audio, max_rows, memory } = window;
        let audio = Arc::new(audio);
        let rows = vec![Row::new(net.begin(audio.clone()), taken.task.start())];
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

    /// Decides what each row is fed in the next step. Long feeds take their tokens from `left`, and wait if there are none.
    pub(super) fn plan(&mut self, left: &mut usize) {
        self.rows.iter_mut().for_each(|row| row.plan(left));
    }

    /// What the rows are fed in this step.
    pub(super) fn feeds(&mut self) -> impl Iterator<Item = Feed<'_, N::Sequence>> {
        let needs_attention = self.taken.task.needs_attention();
        self.rows.iter_mut().filter_map(move |row| row.feed(needs_attention))
    }

    /// The number of rows that are fed in this step.
    pub(super) fn fed_rows(&self) -> usize {
        self.rows.iter().filter(|row| row.feeding > 0).count()
    }

    /// The task, without what was decoded.
    pub(super) fn into_task(self) -> TakenTask {
        self.taken
    }

    /// Passes the results of a step to the task: takes those of its rows. In the middle of a long feed, they mean nothing.
    pub(super) fn advance<'a>(&mut self, net: &N, results: &mut impl Iterator<Item = ScoredRow<'a>>) {
        let mut scored: Vec<_> = results.take(self.fed_rows()).collect();
        let mut has_more = false;
        self.rows.iter_mut().for_each(|row| has_more |= row.drop_fed());
        if has_more {
            return;
        }
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
                self.rows.push(Row::new(sequence, self.taken.task.start()));
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
            self.rows.extend(sequence.map(|sequence| Row::new(sequence, vec![row.token])));
        }
    }
}
