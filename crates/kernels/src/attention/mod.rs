//! Attention of one head, a few queries at a time over all keys: there is never a table of all scores.

#[cfg(target_arch = "x86_64")]
mod amx;
mod append;
mod compact;
mod floats;
mod key_values;
mod scratch;
mod softmax;

#[cfg(test)]
mod tests;

pub(crate) use append::Rows;
pub use floats::Keys;
pub use key_values::KeyValues;
pub use scratch::Scratch;

#[cfg(target_arch = "x86_64")]
use crate::Level;
use crate::levels::UsableLevel;
use crate::usable_level;
use key_values::Format;

/// The queries of one head: rows that start every `stride` floats, each beginning with the floats of this head.
#[derive(Debug, Clone, Copy)]
pub struct Queries<'a> {
    /// From the first float of the first query on.
    pub floats: &'a [f32],
    /// Floats from query to query.
    pub stride: usize,
    /// The number of queries.
    pub rows: usize,
    /// What scores are multiplied by before the softmax. Positive.
    pub scale: f32,
}

/// Where the results of a call go, and its room for scores.
pub(crate) struct Means<'a> {
    /// Rows of means, as far apart as the queries.
    pub(crate) out: &'a mut [f32],
    pub(crate) scratch: &'a mut Scratch,
}

/// Writes the mean of the values for each query, weighted by the softmax of its scores, into rows of `out` that are as far
/// apart as the queries. Without keys, the means are zeros.
pub fn attend(queries: Queries<'_>, memory: &KeyValues, out: &mut [f32], scratch: &mut Scratch) {
    attend_at(usable_level(), queries, memory, Means { out, scratch });
}

/// As `attend`, with only the first keys of a memory: those that a position of a text may look back at. The memory is not
/// compact.
pub fn attend_first(queries: Queries<'_>, keys: Keys<'_>, out: &mut [f32], scratch: &mut Scratch) {
    attend_first_at(usable_level(), queries, keys, Means { out, scratch });
}

/// As `attend_first`, at the given level.
pub(crate) fn attend_first_at(level: UsableLevel, queries: Queries<'_>, keys: Keys<'_>, means: Means<'_>) {
    assert!((1..=keys.memory.len()).contains(&keys.length), "there are as many keys");
    assert_eq!(keys.memory.format, Format::Bfloat16, "the memory is not compact");
    check(queries, keys.memory, means.out);
    floats::run_at(level, queries, keys, means);
}

/// Checks that queries and means are within their slices.
fn check(queries: Queries<'_>, memory: &KeyValues, out: &[f32]) {
    assert!(queries.scale > 0.0, "the scale of scores is positive");
    let last = queries.rows.saturating_sub(1).saturating_mul(queries.stride).saturating_add(memory.width());
    assert!(queries.rows == 0 || queries.floats.len() >= last, "all queries are within the floats");
    assert!(queries.rows == 0 || out.len() >= last, "there is room for all means");
}

/// As `attend`, at the given level.
pub(crate) fn attend_at(level: UsableLevel, queries: Queries<'_>, memory: &KeyValues, means: Means<'_>) {
    let width = memory.width();
    if queries.rows == 0 {
        return;
    }
    check(queries, memory, means.out);
    if memory.is_empty() {
        (0..queries.rows).for_each(|row| means.out[row * queries.stride..][..width].fill(0.0));
        return;
    }
    match (memory.format, level.get()) {
        (Format::Bytes, _) => compact::run_at(level, queries, memory, means),
        #[cfg(target_arch = "x86_64")]
        (Format::Bfloat16, Level::Amx)
            if queries.rows >= amx::FEWEST_ROWS && amx::WIDTHS.contains(&width) =>
        {
            // SAFETY: the level is usable, and the sizes were checked.
            unsafe { amx::run(queries, memory, means) }
        }
        (Format::Bfloat16, _) => {
            floats::run_at(level, queries, Keys { memory, length: memory.len() }, means);
        }
    }
}
