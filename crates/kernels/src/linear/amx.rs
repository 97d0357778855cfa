//! AMX: tiles of sixteen rows by 64 bytes, multiplied by one instruction.

use std::arch::asm;
use std::mem::MaybeUninit;

use super::epilogue::{Sums, finish};
use super::packed::PANEL;
use super::product::Product;
use crate::lanes::Sixteen;
use crate::memory::LINE;
use crate::tiles::Tiles;

/// With fewer rows the tiles are mostly empty, and loading them takes longer than they save.
pub(super) const FEWEST_ROWS: usize = 5;
const TILE: usize = 16;
/// The weights that all rows pass before the next ones, in bytes: they stay in the second-level cache, and leave room
/// there for rows and results.
const CHUNK_BYTES: usize = 768 * 1024;

/// # Safety
/// The level AMX is available.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) unsafe fn run(product: &Product<'_>) {
    // SAFETY: as the caller promises.
    let _tiles = unsafe { Tiles::configure() };
    let rows = product.x.rows();
    let panels = product.shape.panels();
    let chunk = (CHUNK_BYTES / (product.shape.groups() * LINE)).max(1).next_multiple_of(2);
    for first in (0..panels).step_by(chunk) {
        let end = (first + chunk).min(panels);
        for row in (0..rows).step_by(2 * TILE) {
            for panel in (first..end).step_by(2) {
                // SAFETY: rows are padded to whole strips, weights to whole panels.
                unsafe { block(product, row, (rows - row).min(2 * TILE), panel) };
            }
        }
    }
}

/// A block of up to two strips of rows and two panels. A second panel that does not exist is replaced by the first: its
/// sums are computed and dropped.
///
/// # Safety
/// The tiles are configured; the rows and the panel exist.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn block(product: &Product<'_>, row: usize, rows: usize, panel: usize) {
    let mut sums = MaybeUninit::<[[i32; 2 * TILE]; 2 * TILE]>::uninit();
    let second = (panel + 1).min(product.shape.panels() - 1);
    let out = sums.as_mut_ptr().cast::<i32>();
    let panels = Panels {
        stride: product.x.stride(),
        b: [product.panel(panel), product.panel(second)],
        o: [product.panel_offsets(panel), product.panel_offsets(second)],
        steps: product.shape.groups() / TILE,
    };
    // SAFETY: the sums of all rows of the block are written before they are read.
    unsafe {
        if rows > TILE {
            two_strips([product.x.row(row), product.x.row(row + TILE)], panels, out);
        } else {
            one_strip(product.x.row(row), panels, out);
        }
        let block = Sums { sums: out, stride: 2 * TILE, first_row: row, rows, first_output: panel * PANEL };
        finish::<Sixteen>(product, &block);
    }
}

/// Two panels, and how strips of rows pass them.
#[derive(Clone, Copy)]
struct Panels {
    /// Bytes from row to row of a strip.
    stride: usize,
    /// The weights.
    b: [*const u8; 2],
    /// The offsets.
    o: [*const i32; 2],
    /// Tiles of a strip.
    steps: usize,
}

/// Two strips of rows with two panels. The sums start at the offsets: a stride of zero loads one line sixteen times.
///
/// # Safety
/// The tiles are configured. Strips, panels, offsets and sums are whole tiles; there is at least one step.
unsafe fn two_strips(a: [*const u8; 2], Panels { stride, b, o, steps }: Panels, out: *mut i32) {
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "tileloadd tmm0, [{o0} + {none}*1]",
            "tileloadd tmm1, [{o1} + {none}*1]",
            "tileloadd tmm2, [{o0} + {none}*1]",
            "tileloadd tmm3, [{o1} + {none}*1]",
            "2:",
            "tileloadd tmm6, [{b0} + {line}*1]",
            "tileloadd tmm4, [{a0} + {stride}*1]",
            "tileloadd tmm7, [{b1} + {line}*1]",
            "tileloadd tmm5, [{a1} + {stride}*1]",
            "tdpbusd tmm0, tmm4, tmm6",
            "tdpbusd tmm1, tmm4, tmm7",
            "tdpbusd tmm2, tmm5, tmm6",
            "tdpbusd tmm3, tmm5, tmm7",
            "add {a0}, 64",
            "add {a1}, 64",
            "add {b0}, 1024",
            "add {b1}, 1024",
            "dec {steps}",
            "jnz 2b",
            "tilestored [{out} + {line}*2], tmm0",
            "tilestored [{out} + {line}*2 + 64], tmm1",
            "tilestored [{out} + {line}*2 + 2048], tmm2",
            "tilestored [{out} + {line}*2 + 2112], tmm3",
            o0 = in(reg) o[0], o1 = in(reg) o[1], none = in(reg) 0usize, line = in(reg) LINE,
            a0 = inout(reg) a[0] => _, a1 = inout(reg) a[1] => _, stride = in(reg) stride,
            b0 = inout(reg) b[0] => _, b1 = inout(reg) b[1] => _,
            steps = inout(reg) steps => _, out = in(reg) out,
            options(nostack),
        );
    }
}

/// Asks for the sixteen lines of a tile two tiles ahead: with few rows the weights come from memory.
macro_rules! two_tiles_ahead {
    ($register:literal) => {
        two_tiles_ahead!($register; "2048" "2112" "2176" "2240" "2304" "2368" "2432" "2496"
            "2560" "2624" "2688" "2752" "2816" "2880" "2944" "3008")
    };
    ($register:literal; $($distance:literal)*) => {
        concat!($("prefetcht0 [{", $register, "} + ", $distance, "]\n"),*)
    };
}

/// One strip of rows with two panels.
///
/// # Safety
/// As for two strips.
unsafe fn one_strip(a: *const u8, Panels { stride, b, o, steps }: Panels, out: *mut i32) {
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "tileloadd tmm0, [{o0} + {none}*1]",
            "tileloadd tmm1, [{o1} + {none}*1]",
            "2:",
            two_tiles_ahead!("b0"),
            two_tiles_ahead!("b1"),
            "tileloadd tmm4, [{a} + {stride}*1]",
            "tileloadd tmm6, [{b0} + {line}*1]",
            "tileloadd tmm7, [{b1} + {line}*1]",
            "tdpbusd tmm0, tmm4, tmm6",
            "tdpbusd tmm1, tmm4, tmm7",
            "add {a}, 64",
            "add {b0}, 1024",
            "add {b1}, 1024",
            "dec {steps}",
            "jnz 2b",
            "tilestored [{out} + {line}*2], tmm0",
            "tilestored [{out} + {line}*2 + 64], tmm1",
            o0 = in(reg) o[0], o1 = in(reg) o[1], none = in(reg) 0usize, line = in(reg) LINE,
            a = inout(reg) a => _, stride = in(reg) stride,
            b0 = inout(reg) b[0] => _, b1 = inout(reg) b[1] => _,
            steps = inout(reg) steps => _, out = in(reg) out,
            options(nostack),
        );
    }
}
