//! Attention over keys and values as bytes, for registers of any width.

use super::key_values::PANEL;
use super::softmax::softmax;
use super::{KeyValues, Means, Queries};
use crate::lanes::{Lanes, lanes_dispatch, prefetch};

/// What is added to every stored number.
const OFFSET: f32 = 128.0;

lanes_dispatch! {
    pub(super) fn run_at(queries: Queries<'_>, memory: &KeyValues, means: Means<'_>) = all_rows
}

/// Some queries on their way through all keys.
struct Block<'a> {
    memory: &'a KeyValues,
    query: *const f32,
    out: *mut f32,
    /// Floats from query to query and from mean to mean.
    stride: usize,
    scale: f32,
    /// Room for the scores of all rows, `keys` apart.
    scores: *mut f32,
    /// Room for the weights times the scales of the values.
    weights: *mut f32,
    /// The number of keys, padded.
    keys: usize,
}

impl Block<'_> {
    /// Stores a register of a query's means, cut at the width of the head.
    ///
    /// # Safety
    /// As for `mix`.
    #[inline(always)]
    unsafe fn store_mean<L: Lanes>(&self, mean: L, row: usize, part: usize) {
        let at = part * L::WIDTH;
        // SAFETY: as the caller promises.
        unsafe { mean.store_some(self.out.add(row * self.stride + at), self.memory.width() - at) };
    }
}

#[inline(always)]
unsafe fn all_rows<L: Lanes>(queries: Queries<'_>, memory: &KeyValues, Means { out, scratch }: Means<'_>) {
    /// The most queries that are computed together.
    const MOST: usize = 4;
    let keys = memory.padded_length();
    let room = MOST.min(queries.rows) * keys;
    let scores = scratch.scores(room);
    let weights = scratch.weights(room);
    let mut row = 0;
    while row < queries.rows {
        // SAFETY: the queries and means of this row and those that are left exist.
        unsafe {
            let at = row * queries.stride;
            let query = queries.floats.as_ptr().add(at);
            let out = out.as_mut_ptr().add(at);
            let stride = queries.stride;
            let scale = queries.scale;
            let block = Block { memory, query, out, stride, scale, scores, weights, keys };
            row += match (L::WIDTH, queries.rows - row) {
                (8 | 16, 4..) => some_rows::<L, 4, 2>(&block),
                _ => some_rows::<L, 1, 4>(&block),
            };
        }
    }
}

/// A few queries, with `PARTS` registers of keys or values at once: as many sums as keep the multipliers busy.
///
/// # Safety
/// The processor has the instructions of the lanes; there are as many queries and means, and room for their scores.
#[inline(always)]
unsafe fn some_rows<L: Lanes, const ROWS: usize, const PARTS: usize>(block: &Block<'_>) -> usize {
    // SAFETY: as the caller promises; padded keys are an even number of registers.
    unsafe {
        let parts = block.keys / L::WIDTH;
        let mut part = 0;
        while part + PARTS <= parts {
            score::<L, ROWS, PARTS>(block, part);
            part += PARTS;
        }
        while part < parts {
            score::<L, ROWS, 2>(block, part);
            part += 2;
        }
        let mut totals = [0.0; ROWS];
        for r in 0..ROWS {
            totals[r] = weigh::<L>(block, r);
        }
        let parts = block.memory.width().div_ceil(L::WIDTH);
        let mut part = 0;
        while part < parts {
            part += match (PARTS, parts - part) {
                (4, 5) => mix::<L, ROWS, 5>(block, &totals, part),
                (4, 4..) => mix::<L, ROWS, 4>(block, &totals, part),
                (4, 3) => mix::<L, ROWS, 3>(block, &totals, part),
                (_, 2..) => mix::<L, ROWS, 2>(block, &totals, part),
                _ => mix::<L, ROWS, 1>(block, &totals, part),
            };
        }
    }
    ROWS
}

/// Scores of `PARTS` registers of keys.
///
/// # Safety
/// As for `some_rows`; the parts are within the padded keys.
#[inline(always)]
unsafe fn score<L: Lanes, const ROWS: usize, const PARTS: usize>(block: &Block<'_>, part: usize) {
    let memory = block.memory;
    let width = block.memory.width();
    // SAFETY: as the caller promises; there is a scale for each padded key.
    unsafe {
        let mut sums = [[L::splat(0.0); PARTS]; ROWS];
        let mut offsets = [0.0; ROWS];
        let from = key_places::<L, PARTS>(memory, part);
        let ahead = PARTS * L::WIDTH / PANEL * memory.panel_size();
        for dimension in 0..width {
            let mut keys = [L::splat(0.0); PARTS];
            for p in 0..PARTS {
                keys[p] = L::load_bytes(from[p].add(dimension * PANEL));
                if ROWS == 1 && dimension % 4 == 0 {
                    prefetch(from[p].wrapping_add(dimension * PANEL + ahead));
                }
            }
            for r in 0..ROWS {
                let query = *block.query.add(r * block.stride + dimension);
                offsets[r] += query * OFFSET;
                for p in 0..PARTS {
                    sums[r][p] = keys[p].mul_add(L::splat(query), sums[r][p]);
                }
            }
        }
        for r in 0..ROWS {
            for p in 0..PARTS {
                let at = (part + p) * L::WIDTH;
                let scale = L::load(memory.key_scales.as_ptr().add(at));
                let score = sums[r][p].sub(L::splat(offsets[r])).mul(scale);
                score.store(block.scores.add(r * block.keys + at));
            }
        }
    }
}

/// Where the keys of `PARTS` registers begin.
///
/// # Safety
/// As for `score`.
#[inline(always)]
unsafe fn key_places<L: Lanes, const PARTS: usize>(memory: &KeyValues, part: usize) -> [*const u8; PARTS] {
    let mut from = [memory.keys.as_ptr().cast::<u8>(); PARTS];
    for p in 0..PARTS {
        let key = (part + p) * L::WIDTH;
        // SAFETY: as the caller promises.
        from[p] = unsafe { from[p].add(key / PANEL * memory.panel_size() + key % PANEL) };
    }
    from
}

/// Normalizes the weights of a query, multiplies them by the scales of the values, and returns the sum of these products.
///
/// # Safety
/// As for `some_rows`; all scores of the query are computed.
#[inline(always)]
unsafe fn weigh<L: Lanes>(block: &Block<'_>, row: usize) -> f32 {
    // SAFETY: as the caller promises; there is a scale for each padded key.
    unsafe {
        let scores = block.scores.add(row * block.keys);
        let weights = block.weights.add(row * block.keys);
        let factor = L::splat(1.0 / softmax::<L>(scores, block.memory.len(), block.scale));
        let mut total = L::splat(0.0);
        for at in (0..block.keys).step_by(L::WIDTH) {
            let normalized = L::load(scores.add(at)).mul(factor);
            normalized.store(scores.add(at));
            let scaled = normalized.mul(L::load(block.memory.value_scales.as_ptr().add(at)));
            scaled.store(weights.add(at));
            total = total.add(scaled);
        }
        total.sum()
    }
}

/// The numbers of `PARTS` registers of columns.
///
/// # Safety
/// As for `mix`.
#[inline(always)]
unsafe fn load_values<L: Lanes, const PARTS: usize>(from: *const u8) -> [L; PARTS] {
    // SAFETY: as the caller promises.
    unsafe {
        let mut values = [L::splat(0.0); PARTS];
        for p in 0..PARTS {
            values[p] = L::load_bytes(from.add(p * L::WIDTH));
        }
        values
    }
}

/// The weighted means of `PARTS` registers of columns; returns how many.
///
/// # Safety
/// As for `some_rows`; the weights are computed.
#[inline(always)]
unsafe fn mix<L: Lanes, const ROWS: usize, const PARTS: usize>(
    block: &Block<'_>,
    totals: &[f32; ROWS],
    part: usize,
) -> usize {
    /// How many keys ahead a single query asks for values.
    const KEYS_AHEAD: usize = 16;
    let memory = block.memory;
    let columns = block.memory.columns();
    // SAFETY: as the caller promises; means are cut at the width of the head.
    unsafe {
        let mut sums = [[L::splat(0.0); PARTS]; ROWS];
        for key in 0..memory.len() {
            let from = memory.values.as_ptr().cast::<u8>().add(key * columns + part * L::WIDTH);
            if ROWS == 1 {
                prefetch(from.wrapping_add(KEYS_AHEAD * columns));
            }
            let values = load_values::<L, PARTS>(from);
            for r in 0..ROWS {
                let weight = L::splat(*block.weights.add(r * block.keys + key));
                for p in 0..PARTS {
                    sums[r][p] = values[p].mul_add(weight, sums[r][p]);
                }
            }
        }
        for r in 0..ROWS {
            for p in 0..PARTS {
                let mean = sums[r][p].sub(L::splat(totals[r] * OFFSET));
                block.store_mean(mean, r, part + p);
            }
        }
    }
    PARTS
}
