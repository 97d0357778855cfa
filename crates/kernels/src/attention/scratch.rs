//! Room for the scores of a few queries.

use crate::memory::{LINE, Line};

/// Room for the scores of a few queries, kept from call to call.
#[derive(Default)]
pub struct Scratch {
    scores: Vec<Line>,
    weights: Vec<Line>,
}

impl Scratch {
    /// The weights of the keys in the last call of [`attend`](crate::attend), if it was for a single query. They add up to
    /// 1. `keys` is the number of keys that the memory had.
    pub fn last_weights(&self, keys: usize) -> &[f32] {
        assert!(keys * size_of::<f32>() <= size_of_val(&*self.scores), "as many keys as the memory had");
        // SAFETY: within the buffer; any bits are floats.
        unsafe { std::slice::from_raw_parts(self.scores.as_ptr().cast(), keys) }
    }

    /// Room for scores, at the start of a line.
    pub(super) fn scores(&mut self, count: usize) -> *mut f32 {
        reserve(&mut self.scores, count * size_of::<f32>()).cast()
    }

    /// Room for weights, at the start of a line.
    pub(super) fn weights(&mut self, count: usize) -> *mut f32 {
        reserve(&mut self.weights, count * size_of::<f32>()).cast()
    }
}

fn reserve(lines: &mut Vec<Line>, bytes: usize) -> *mut Line {
    if lines.len() * LINE < bytes {
        lines.resize(bytes.div_ceil(LINE), Line::ZERO);
    }
    lines.as_mut_ptr()
}
