//! Attention on tiles of bfloat16: sixteen queries at a time.

use std::arch::asm;
use std::ops::RangeInclusive;

use super::key_values::{PANEL, TILE_KEYS};
use super::{KeyValues, Means, Queries};
use crate::lanes::{Lanes, Sixteen};
use crate::tiles::Tiles;

/// With fewer queries the tiles are mostly empty.
pub(super) const FEWEST_ROWS: usize = 5;
/// Widths of heads: two tiles of 32 dimensions hold a query, and narrower heads would read too far behind the keys.
pub(super) const WIDTHS: RangeInclusive<usize> = 32..=WIDEST;
const WIDEST: usize = 64;
const ROWS: usize = 16;

/// Sixteen queries as bfloat16.
#[repr(C, align(64))]
struct QueryTiles([[u16; WIDEST]; ROWS]);

/// Sixteen sums of weighted values.
#[repr(C, align(64))]
struct Mixed([[f32; WIDEST]; ROWS]);

/// # Safety
/// The level AMX is available. Queries and means exist, there are keys, and the width is one of `WIDTHS`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,avx2,fma")]
pub(super) unsafe fn run(queries: Queries<'_>, memory: &KeyValues, means: Means<'_>) {
    let Means { out, scratch } = means;
    let keys = memory.padded_length();
    // An odd number of lines from row to row: otherwise all rows would compete for the same few places of the cache.
    let stride = keys + PANEL;
    let scores = scratch.scores(ROWS * stride);
    let weights = scratch.weights(ROWS * stride).cast::<u16>();
    // SAFETY: as the caller promises; there is room for the scores and weights of sixteen queries.
    unsafe {
        let _tiles = Tiles::configure();
        for row in (0..queries.rows).step_by(ROWS) {
            let rows = ROWS.min(queries.rows - row);
            let tiles = query_tiles(queries, row, rows, memory.width());
            score(&tiles, memory, scores, stride);
            let mut sums = [1.0; ROWS];
            for r in 0..rows {
                sums[r] = softmax(scores.add(r * stride), memory.len(), weights.add(r * stride * 2));
            }
            let mut mixed = Mixed([[0.0; WIDEST]; ROWS]);
            mix(weights, stride * 2, memory, &mut mixed);
            for r in 0..rows {
                let to = out.as_mut_ptr().add((row + r) * queries.stride);
                for at in (0..memory.width()).step_by(16) {
                    let mean = Sixteen::load(mixed.0[r].as_ptr().add(at)).mul(Sixteen::splat(1.0 / sums[r]));
                    mean.store_some(to.add(at), memory.width() - at);
                }
            }
        }
    }
}

/// Queries times the scale of the scores and the logarithm that turns powers of e into powers of two.
///
/// # Safety
/// As for `run`; the rows exist.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn query_tiles(queries: Queries<'_>, row: usize, rows: usize, width: usize) -> QueryTiles {
    let mut tiles = QueryTiles([[0; WIDEST]; ROWS]);
    // SAFETY: as the caller promises.
    unsafe {
        let scale = Sixteen::splat(queries.scale * std::f32::consts::LOG2_E);
        for r in 0..rows {
            let from = queries.floats.as_ptr().add((row + r) * queries.stride);
            let to = tiles.0[r].as_mut_ptr();
            for at in (0..width).step_by(16) {
                Sixteen::load_some(from.add(at), width - at).mul(scale).store_bfloats(to.add(at));
            }
        }
    }
    tiles
}

/// Scores of all keys, two panels at a time.
///
/// # Safety
/// The tiles are configured; there is room for sixteen rows of scores, `stride` apart.
unsafe fn score(tiles: &QueryTiles, memory: &KeyValues, scores: *mut f32, stride: usize) {
    // SAFETY: as the caller promises. Tiles may read a little behind the last key, where there are zeros.
    unsafe {
        let next = memory.panel_size() * 2;
        asm!(
            "tileloadd tmm4, [{query} + {line}*2]",
            "tileloadd tmm5, [{query} + {line}*2 + 64]",
            query = in(reg) tiles, line = in(reg) 64usize, options(nostack),
        );
        for panel in (0..memory.padded_length() / PANEL).step_by(2) {
            let from = memory.keys.as_ptr().cast::<u16>().add(panel * memory.panel_size());
            let to = scores.add(panel * PANEL);
            asm!(
                "tilezero tmm0", "tilezero tmm1",
                "tileloadd tmm6, [{from} + {line}*1]",
                "tileloadd tmm7, [{second} + {line}*1]",
                "tdpbf16ps tmm0, tmm4, tmm6",
                "tdpbf16ps tmm1, tmm4, tmm7",
                "tileloadd tmm2, [{from} + {line}*1 + 1024]",
                "tileloadd tmm3, [{second} + {line}*1 + 1024]",
                "tdpbf16ps tmm0, tmm5, tmm2",
                "tdpbf16ps tmm1, tmm5, tmm3",
                "tilestored [{to} + {stride}*1], tmm0",
                "tilestored [{to} + {stride}*1 + 64], tmm1",
                from = in(reg) from, second = in(reg) from.byte_add(next), to = in(reg) to,
                line = in(reg) 64usize, stride = in(reg) stride * 4, options(nostack),
            );
        }
    }
}

/// Turns the scores of one query into weights, zero behind the last key, and returns their sum.
///
/// # Safety
/// As for `run`; there are scores and weights for all padded keys.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,avx2,fma")]
unsafe fn softmax(scores: *mut f32, length: usize, weights: *mut u16) -> f32 {
    let keys = length.next_multiple_of(TILE_KEYS);
    // SAFETY: as the caller promises.
    unsafe {
        for key in length..keys {
            *scores.add(key) = -1e30;
        }
        let mut largest = [Sixteen::splat(-1e30); 2];
        for at in (0..keys).step_by(TILE_KEYS) {
            largest[0] = largest[0].max(Sixteen::load(scores.add(at)));
            largest[1] = largest[1].max(Sixteen::load(scores.add(at + 16)));
        }
        let largest = Sixteen::splat(largest[0].max(largest[1]).largest());
        let mut sums = [Sixteen::splat(0.0); 2];
        for at in (0..keys).step_by(TILE_KEYS) {
            let first = Sixteen::load(scores.add(at)).sub(largest).exp2_rough();
            let second = Sixteen::load(scores.add(at + 16)).sub(largest).exp2_rough();
            sums[0] = sums[0].add(first);
            sums[1] = sums[1].add(second);
            first.store_bfloats_with(second, weights.add(at));
        }
        sums[0].add(sums[1]).sum()
    }
}

/// The weights of sixteen queries and the values, as `mix` passes them: one tile of keys at a time.
#[derive(Clone, Copy)]
struct Walk {
    weights: *const u16,
    /// Bytes from query to query.
    stride: usize,
    values: *const u16,
    /// Bytes of the values of a pair of keys.
    row: usize,
    /// Tiles of keys.
    steps: usize,
}

/// Weights times values, all columns at once.
///
/// # Safety
/// The tiles are configured; there are weights for sixteen queries, `stride` apart.
unsafe fn mix(weights: *const u16, stride: usize, memory: &KeyValues, out: &mut Mixed) {
    let walk = Walk {
        weights,
        stride: stride * 2,
        values: memory.values.as_ptr().cast(),
        row: memory.columns() * 4,
        steps: memory.padded_length() / TILE_KEYS,
    };
    // SAFETY: as the caller promises. Tiles may read a little behind the last value.
    unsafe {
        asm!("tilezero tmm0", "tilezero tmm1", "tilezero tmm2", "tilezero tmm3", options(nostack));
        if memory.width() > 3 * PANEL {
            mix_four_panels(walk);
        } else {
            mix_three_panels(walk);
        }
        asm!(
            "tilestored [{to} + {row}*1], tmm0",
            "tilestored [{to} + {row}*1 + 64], tmm1",
            "tilestored [{to} + {row}*1 + 128], tmm2",
            "tilestored [{to} + {row}*1 + 192], tmm3",
            to = in(reg) out, row = in(reg) WIDEST * 4, options(nostack),
        );
    }
}

/// Adds the products to the first four tiles.
///
/// # Safety
/// As for `mix`.
#[inline(always)]
unsafe fn mix_four_panels(Walk { weights, stride, values, row, steps }: Walk) {
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "2:",
            "tileloadd tmm4, [{from} + {stride}*1]",
            "tileloadd tmm5, [{values} + {row}*1]",
            "tileloadd tmm6, [{values} + {row}*1 + 64]",
            "tdpbf16ps tmm0, tmm4, tmm5",
            "tileloadd tmm7, [{values} + {row}*1 + 128]",
            "tdpbf16ps tmm1, tmm4, tmm6",
            "tileloadd tmm5, [{values} + {row}*1 + 192]",
            "tdpbf16ps tmm2, tmm4, tmm7",
            "tdpbf16ps tmm3, tmm4, tmm5",
            "add {from}, 64",
            "add {values}, {tile}",
            "dec {steps}",
            "jnz 2b",
            from = inout(reg) weights => _, values = inout(reg) values => _, stride = in(reg) stride,
            row = in(reg) row, tile = in(reg) row * 16, steps = inout(reg) steps => _, options(nostack),
        );
    }
}

/// The same with three tiles, for narrower heads.
///
/// # Safety
/// As for `mix`.
#[inline(always)]
unsafe fn mix_three_panels(Walk { weights, stride, values, row, steps }: Walk) {
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "2:",
            "tileloadd tmm4, [{from} + {stride}*1]",
            "tileloadd tmm5, [{values} + {row}*1]",
            "tileloadd tmm6, [{values} + {row}*1 + 64]",
            "tdpbf16ps tmm0, tmm4, tmm5",
            "tileloadd tmm7, [{values} + {row}*1 + 128]",
            "tdpbf16ps tmm1, tmm4, tmm6",
            "tdpbf16ps tmm2, tmm4, tmm7",
            "add {from}, 64",
            "add {values}, {tile}",
            "dec {steps}",
            "jnz 2b",
            from = inout(reg) weights => _, values = inout(reg) values => _, stride = in(reg) stride,
            row = in(reg) row, tile = in(reg) row * 16, steps = inout(reg) steps => _, options(nostack),
        );
    }
}
