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
    /// The number of the layer that the rows go through next.
    pub(super) next_layer: usize,
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
    /// Lists the tokens of all feeds, before the first layer. The tokens of a feed are in their order.
    pub(super) fn begin(&mut self, feeds: &[Feed<'_, Sequence>]) {
        self.rows.clear();
        self.next_layer = 0;
        for (nth, feed) in feeds.iter().enumerate() {
            let first = feed.sequence.position;
            let count = feed.tokens.len();
            assert!(count > 0, "a feed has at least one token");
            let row = |at| Row { feed: nth, position: first + at, is_last: at + 1 == count };
            self.rows.extend((0..count).map(row));
        }
    }

    /// Drops the rows of the feeds that are not kept, and counts the others anew.
    pub(crate) fn keep(&mut self, kept: &[bool]) {
        let width = self.floats.len() / self.rows.len().max(1);
        let kept_before = |feed: usize| kept[..feed].iter().filter(|kept| **kept).count();
        let mut next = 0;
        let mut left = 0;
        self.rows.retain_mut(|row| {
            let from = next * width;
            next += 1;
            if !kept[row.feed] {
                return false;
            }
            self.floats.copy_within(from..from + width, left * width);
            left += 1;
            row.feed = kept_before(row.feed);
            true
        });
        self.floats.truncate(left * width);
    }
}
