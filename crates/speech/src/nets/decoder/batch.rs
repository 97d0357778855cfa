//! The rows of one step: the tokens that all sequences are fed.

use super::sequence::Sequence;
use crate::net::Feed;

/// A token that is fed.
pub(super) struct Row {
    /// The number of its feed.
    pub(super) feed: usize,
    pub(super) position: usize,
    /// Whether it is the last token of its feed, whose scores are wanted.
    pub(super) is_last: bool,
}

/// The buffers of a step, kept from step to step.
#[derive(Default)]
pub(crate) struct StepBuffers {
    pub(super) rows: Vec<Row>,
    /// What the layers made of the rows so far.
    pub(super) floats: Vec<f32>,
    pub(super) last: Vec<f32>,
}

/// All rows with their sequences, on their way through the layers.
pub(super) struct Batch<'a, 'f> {
    pub(super) rows: &'a [Row],
    pub(super) floats: &'a mut [f32],
    pub(super) feeds: &'a mut [Feed<'f, Sequence>],
    /// Per feed the weights of alignment heads, if asked for.
    pub(super) attention: &'a mut [Vec<Vec<f32>>],
}

impl StepBuffers {
    /// Lists the tokens of all feeds. The tokens of a feed are in their order.
    pub(super) fn list_rows(&mut self, feeds: &[Feed<'_, Sequence>]) {
        self.rows.clear();
        for (nth, feed) in feeds.iter().enumerate() {
            let first = feed.sequence.position;
            let count = feed.tokens.len();
            assert!(count > 0, "a feed has at least one token");
            let row = |at| Row { feed: nth, position: first + at, is_last: at + 1 == count };
            self.rows.extend((0..count).map(row));
        }
    }
}
