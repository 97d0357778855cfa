//! The rules of a model for one segment, as a state machine that computes nothing: which audio to encode, which tokens to
//! feed, which token the scores mean, and when the segment is done.

use std::ops::Range;

use auris_audio::SAMPLE_RATE;

use crate::net::{Margin, PlannedWindow, ScoredRow};

/// The work on one segment of speech. The queue encodes and feeds what it asks for, and passes on the scores.
///
/// `window` comes first. After each encoding comes `start`, then `next` for the scores of each step until it returns
/// `Done`, then `window` again. When `window` returns `None`, `finish` returns the result.
pub(crate) trait SegmentTask: Send + 'static {
    type Output: Send + 'static;

    /// What to encode next; `None` if the work is done.
    fn window(&mut self) -> Option<Window>;

    /// The samples that the last window is a range of.
    fn samples(&self) -> &[f32];

    /// The tokens to feed first, after an encoding or a restart.
    fn start(&mut self) -> Vec<u32>;

    /// Whether `next` uses the attention.
    fn needs_attention(&self) -> bool {
        true
    }

    /// Continues with the scores of the token after the last one fed, which it may change, and with the weights of the
    /// attention to the audio (head × frame).
    fn next(&mut self, scores: &mut [f32], attention: &[Vec<f32>]) -> Next;

    /// As `next`, for all rows of the task: one after `start`, then those that it asked for.
    fn next_rows(&mut self, rows: &mut [ScoredRow<'_>]) -> Next {
        match rows {
            [row, ..] => self.next(row.scores, row.attention),
            [] => Next::Done,
        }
    }

    fn finish(self: Box<Self>) -> Self::Output;
}

/// What is encoded at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) samples: Range<usize>,
    pub(crate) margin: Margin,
    /// The most rows that the task decodes side by side.
    pub(crate) rows: usize,
    /// The tokens of the context that are fed before the text begins.
    pub(crate) prompt: usize,
}

impl Window {
    /// A window of these samples that is decoded in one row.
    pub(crate) fn of(samples: Range<usize>) -> Self {
        Self { samples, margin: Margin::Short, rows: 1, prompt: 0 }
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.samples.len() as f64 / f64::from(SAMPLE_RATE)
    }

    /// What memory is planned for.
    pub(crate) fn planned(&self) -> PlannedWindow {
        let Self { margin, rows: sequences, prompt, .. } = *self;
        PlannedWindow { seconds: self.seconds(), margin, sequences, prompt }
    }
}

/// What a task needs next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next {
    /// Feed these tokens to the only row, or to the first one and drop the others. There is at least one token.
    Feed(Vec<u32>),
    /// Continue with these rows. There is at least one.
    Rows(Vec<NextRow>),
    /// Decode the same audio again, beginning with `start`.
    Restart,
    /// The window is done.
    Done,
}

/// A row that continues one of the last step, as others may too. A row that none continues is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NextRow {
    /// The number of the row that it continues.
    pub(crate) parent: usize,
    /// The token to feed.
    pub(crate) token: u32,
}
