//! Attention over keys and values as bfloat16, for registers of any width.

use super::key_values::{PANEL, WIDEST, padded};
use super::softmax::softmax;
use super::{KeyValues, Means, Queries};
use crate::lanes::{Lanes, lanes_dispatch, prefetch};

lanes_dispatch! {
    pub(super) fn run_at(queries: Queries<'_>, keys: Keys<'_>, means: Means<'_>) = all_rows
}

/// The first keys of a memory.
#[derive(Clone, Copy)]
pub struct Keys<'a> {
    pub memory: &'a KeyValues,
    /// How many: at least one, and at most as many as the memory has.
    pub length: usize,
}

/// Some queries on their way through all keys.
struct Block<'a> {
    memory: &'a KeyValues,
    /// The number of keys.
    length: usize,
    query: *const f32,
    out: *mut f32,
    /// Floats from query to query and from mean to mean.
    stride: usize,
    scale: f32,
    /// Room for the scores of all rows, `keys` apart.
    scores: *mut f32,
    /// The number of keys, padded.
    keys: usize,
}

#[inline(always)]
unsafe fn all_rows<L: Lanes>(
    queries: Queries<'_>,
    Keys { memory, length }: Keys<'_>,
    Means { out, scratch }: Means<'_>,
) {
    /// The most queries that are computed together.
    const MOST: usize = 8;
    let keys = padded(length);
    let scores = scratch.scores(MOST.min(queries.rows) * keys);
    let mut row = 0;
    while row < queries.rows {
        // SAFETY: the queries and means of this row and those that are left exist.
        unsafe {
            let query = queries.floats.as_ptr().add(row * queries.stride);
            let out = out.as_mut_ptr().add(row * queries.stride);
            let stride = queries.stride;
            let scale = queries.scale;
            let block = Block { memory, length, query, out, stride, scale, scores, keys };
            row += match (L::WIDTH, queries.rows - row) {
                (16, 8..) => many_rows::<L, 8>(&block),
                (8, 5..) => many_rows::<L, 5>(&block),
                (8 | 16, 3..) => many_rows::<L, 3>(&block),
                _ => one_row::<L>(&block),
            };
        }
    }
}

/// Many queries share the loads of keys and values, two registers at a time.
///
/// # Safety
/// The processor has the instructions of the lanes; there are as many queries and means, and room for their scores.
#[inline(always)]
unsafe fn many_rows<L: Lanes, const ROWS: usize>(block: &Block<'_>) -> usize {
    // In one place, so that the kernel does not need a pointer to each query.
    let mut packed = [[0.0; ROWS]; WIDEST];
    // SAFETY: as the caller promises; padded keys are an even number of registers.
    unsafe {
        for r in 0..ROWS {
            for dimension in 0..block.memory.width() {
                packed[dimension][r] = *block.query.add(r * block.stride + dimension);
            }
        }
        for part in (0..block.keys / L::WIDTH).step_by(2) {
            score::<L, ROWS, 2, 1>(block, packed.as_ptr().cast(), part);
        }
        let mut factors = [0.0; ROWS];
        for r in 0..ROWS {
            factors[r] = 1.0 / softmax::<L>(block.scores.add(r * block.keys), block.length, block.scale);
        }
        let parts = block.memory.width().div_ceil(L::WIDTH);
        let mut part = 0;
        while part + 2 <= parts {
            mix::<L, ROWS, 2, 1>(block, &factors, part);
            part += 2;
        }
        if part < parts {
            mix::<L, ROWS, 1, 2>(block, &factors, part);
        }
    }
    ROWS
}

/// A single query needs several registers of keys or values at once, each with two sums, or it would wait for its own
/// sums. Its weights are left in the scratch, normalized.
///
/// # Safety
/// As for `many_rows`.
#[inline(always)]
unsafe fn one_row<L: Lanes>(block: &Block<'_>) -> usize {
    // SAFETY: as the caller promises.
    unsafe {
        let parts = block.keys / L::WIDTH;
        let mut part = 0;
        while part + 4 <= parts {
            score::<L, 1, 4, 2>(block, block.query, part);
            part += 4;
        }
        while part < parts {
            score::<L, 1, 2, 2>(block, block.query, part);
            part += 2;
        }
        let factor = L::splat(1.0 / softmax::<L>(block.scores, block.length, block.scale));
        for at in (0..block.keys).step_by(L::WIDTH) {
            L::load(block.scores.add(at)).mul(factor).store(block.scores.add(at));
        }
        let parts = block.memory.width().div_ceil(L::WIDTH);
        let mut part = 0;
        while part < parts {
            part += match parts - part {
                5 => mix::<L, 1, 5, 2>(block, &[1.0], part),
                4.. => mix::<L, 1, 4, 2>(block, &[1.0], part),
                3 => mix::<L, 1, 3, 2>(block, &[1.0], part),
                2 => mix::<L, 1, 2, 2>(block, &[1.0], part),
                _ => mix::<L, 1, 1, 2>(block, &[1.0], part),
            };
        }
    }
    1
}

/// Scores of `PARTS` registers of keys. `query` has the numbers of all rows dimension by dimension. With two `CHAINS`,
/// even and odd dimensions have separate sums.
///
/// # Safety
/// As for `many_rows`; the parts are within the padded keys.
#[inline(always)]
unsafe fn score<L: Lanes, const ROWS: usize, const PARTS: usize, const CHAINS: usize>(
    block: &Block<'_>,
    query: *const f32,
    part: usize,
) {
    let memory = block.memory;
    let width = block.memory.width();
    // SAFETY: as the caller promises. An odd width is padded by a dimension that is zero in all keys.
    unsafe {
        let mut sums = [[[L::splat(0.0); CHAINS]; PARTS]; ROWS];
        let from = key_places::<L, PARTS>(memory, part);
        let ahead = PARTS * L::WIDTH / PANEL * memory.panel_size();
        for dimension in (0..width).step_by(2) {
            let next = (dimension + 1).min(width - 1);
            let pairs = load_keys::<L, ROWS, PARTS>(&from, dimension * PANEL, ahead);
            for r in 0..ROWS {
                let first = L::splat(*query.add(dimension * ROWS + r));
                let second = L::splat(*query.add(next * ROWS + r));
                for p in 0..PARTS {
                    add_products(&mut sums[r][p], pairs[p], [first, second]);
                }
            }
        }
        for r in 0..ROWS {
            for p in 0..PARTS {
                let score = sum_of_chains(sums[r][p]);
                score.store(block.scores.add(r * block.keys + (part + p) * L::WIDTH));
            }
        }
    }
}

/// Where the keys of `PARTS` registers begin.
///
/// # Safety
/// As for `score`.
#[inline(always)]
unsafe fn key_places<L: Lanes, const PARTS: usize>(memory: &KeyValues, part: usize) -> [*const u16; PARTS] {
    let mut from = [memory.keys.as_ptr().cast::<u16>(); PARTS];
    for p in 0..PARTS {
        let key = (part + p) * L::WIDTH;
        // SAFETY: as the caller promises.
        from[p] = unsafe { from[p].add(key / PANEL * memory.panel_size() + key % PANEL * 2) };
    }
    from
}

/// A pair of dimensions of `PARTS` registers of keys. A single query asks for those that it needs `ahead` of these.
///
/// # Safety
/// As for `score`.
#[inline(always)]
unsafe fn load_keys<L: Lanes, const ROWS: usize, const PARTS: usize>(
    from: &[*const u16; PARTS],
    at: usize,
    ahead: usize,
) -> [(L, L); PARTS] {
    // SAFETY: as the caller promises.
    unsafe {
        let mut pairs = [(L::splat(0.0), L::splat(0.0)); PARTS];
        for p in 0..PARTS {
            pairs[p] = L::load_pairs(from[p].add(at));
            if ROWS == 1 {
                prefetch(from[p].wrapping_add(at + ahead));
            }
        }
        pairs
    }
}

/// The values of a pair of keys in `PARTS` registers of columns. A single query asks for those of later keys, too.
///
/// # Safety
/// As for `mix`.
#[inline(always)]
unsafe fn load_values<L: Lanes, const ROWS: usize, const PARTS: usize>(
    from: *const u16,
    columns: usize,
) -> [(L, L); PARTS] {
    /// How many pairs of keys ahead a single query asks for values.
    const PAIRS_AHEAD: usize = 8;
    // SAFETY: as the caller promises.
    unsafe {
        let mut values = [(L::splat(0.0), L::splat(0.0)); PARTS];
        for p in 0..PARTS {
            values[p] = L::load_pairs(from.add(p * L::WIDTH * 2));
            if ROWS == 1 {
                prefetch(from.wrapping_add((p * L::WIDTH + PAIRS_AHEAD * columns) * 2));
            }
        }
        values
    }
}

/// Adds the products of a pair of registers with a pair of factors, each to its chain.
///
/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
unsafe fn add_products<L: Lanes, const CHAINS: usize>(sums: &mut [L; CHAINS], pair: (L, L), factors: [L; 2]) {
    // SAFETY: as the caller promises.
    unsafe {
        sums[0] = pair.0.mul_add(factors[0], sums[0]);
        sums[1 % CHAINS] = pair.1.mul_add(factors[1], sums[1 % CHAINS]);
    }
}

/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
unsafe fn sum_of_chains<L: Lanes, const CHAINS: usize>(sums: [L; CHAINS]) -> L {
    // SAFETY: as the caller promises.
    if CHAINS == 2 { unsafe { sums[0].add(sums[CHAINS - 1]) } } else { sums[0] }
}

/// The weighted means of `PARTS` registers of columns; returns how many. With two `CHAINS`, even and odd keys have
/// separate sums.
///
/// # Safety
/// As for `many_rows`; the scores are weights.
#[inline(always)]
unsafe fn mix<L: Lanes, const ROWS: usize, const PARTS: usize, const CHAINS: usize>(
    block: &Block<'_>,
    factors: &[f32; ROWS],
    part: usize,
) -> usize {
    let memory = block.memory;
    let columns = block.memory.columns();
    // SAFETY: as the caller promises; means are cut at the width of the head.
    unsafe {
        let mut sums = [[[L::splat(0.0); CHAINS]; PARTS]; ROWS];
        for pair in 0..block.length.div_ceil(2) {
            let from = memory.values.as_ptr().cast::<u16>().add((pair * columns + part * L::WIDTH) * 2);
            let values = load_values::<L, ROWS, PARTS>(from, columns);
            for r in 0..ROWS {
                let weights = block.scores.add(r * block.keys + pair * 2);
                let pair = [L::splat(*weights), L::splat(*weights.add(1))];
                for p in 0..PARTS {
                    add_products(&mut sums[r][p], values[p], pair);
                }
            }
        }
        for r in 0..ROWS {
            for p in 0..PARTS {
                let at = (part + p) * L::WIDTH;
                let mean = sum_of_chains(sums[r][p]).mul(L::splat(factors[r]));
                mean.store_some(block.out.add(r * block.stride + at), memory.width() - at);
            }
        }
    }
    PARTS
}
