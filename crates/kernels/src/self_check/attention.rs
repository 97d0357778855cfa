//! Checks attention: over all keys and over the first ones, and how keys and values are stored.

use super::{Random, agree};
use crate::attention::{Keys, Means, Rows, attend_at, attend_first_at};
use crate::levels::UsableLevel;
use crate::{KeyValues, Queries, Scratch};

/// Tiles round queries and weights to bfloat16.
const TOLERANCE: f32 = 0.02;

/// The kernels of attention.
#[derive(Clone, Copy)]
pub(super) struct AttentionKernels {
    pub(super) all_keys: fn(UsableLevel, Queries<'_>, &KeyValues, Means<'_>),
    pub(super) first_keys: fn(UsableLevel, Queries<'_>, Keys<'_>, Means<'_>),
}

pub(super) const ATTENTION: AttentionKernels =
    AttentionKernels { all_keys: attend_at, first_keys: attend_first_at };

/// The sizes of one head.
#[derive(Clone, Copy)]
struct Head {
    rows: usize,
    keys: usize,
    width: usize,
}

const HEADS: [Head; 3] = [
    Head { rows: 1, keys: 70, width: 36 },
    Head { rows: 7, keys: 40, width: 64 },
    Head { rows: 21, keys: 33, width: 52 },
];

impl AttentionKernels {
    pub(super) fn are_correct(&self, level: UsableLevel) -> bool {
        HEADS.into_iter().all(|head| {
            let memories = [KeyValues::new, KeyValues::new_compact];
            memories.into_iter().all(|memory| self.all_keys_are_correct(level, head, memory))
                && self.first_keys_are_correct(level, head)
        })
    }

    fn all_keys_are_correct(&self, level: UsableLevel, head: Head, memory: fn(usize) -> KeyValues) -> bool {
        let floats = random_rows(head);
        agree(level, TOLERANCE, |level| {
            let memory = filled(level, memory(head.width), &floats, head);
            let mut out = vec![0.0; head.rows * head.width];
            let means = Means { out: &mut out, scratch: &mut Scratch::default() };
            (self.all_keys)(level, queries(&floats, head), &memory, means);
            out
        })
    }

    /// All but some of the last keys.
    fn first_keys_are_correct(&self, level: UsableLevel, head: Head) -> bool {
        let floats = random_rows(head);
        agree(level, TOLERANCE, |level| {
            let memory = filled(level, KeyValues::new(head.width), &floats, head);
            let keys = Keys { memory: &memory, length: head.keys - 9 };
            let mut out = vec![0.0; head.rows * head.width];
            let means = Means { out: &mut out, scratch: &mut Scratch::default() };
            (self.first_keys)(level, queries(&floats, head), keys, means);
            out
        })
    }
}

/// Queries, keys and values.
fn random_rows(head: Head) -> [Vec<f32>; 3] {
    let mut random = Random::new(head.rows + head.keys);
    [head.rows, head.keys, head.keys].map(|rows| random.floats(rows * head.width))
}

fn filled(level: UsableLevel, mut memory: KeyValues, floats: &[Vec<f32>; 3], head: Head) -> KeyValues {
    let [_, keys, values] = floats;
    memory.extend_at(level, keys, values, Rows { stride: head.width, count: head.keys });
    memory
}

fn queries(floats: &[Vec<f32>; 3], head: Head) -> Queries<'_> {
    Queries { floats: &floats[0], stride: head.width, rows: head.rows, scale: 0.3 }
}
