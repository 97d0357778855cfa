//! Products of bytes without VNNI, for many rows. One instruction multiplies bytes and adds pairs of products, but its sums
//! saturate at 16 bits. Weights are nearly everywhere so small that this cannot happen. Where they are not, one weight of
//! each pair is multiplied at a time, so that the sums are exact everywhere.

use std::hint::black_box;
use std::ops::Range;

use super::epilogue::{Sums, finish};
use super::large_groups::LargeGroups;
use super::packed::{GROUP, PANEL};
use super::product::Product;
use super::row_scratch::with_scratch;
use crate::QuantizedRows;
use crate::lanes::Lanes;
use crate::memory::LINE;

/// With fewer rows the weights come from memory, and a kernel that asks for them early is faster.
const FEWEST_ROWS: usize = 4;
/// The rows that pass all weights before the next ones, in bytes: they stay in the second-level cache.
const CHUNK_BYTES: usize = 96 * 1024;

/// A register of bytes, or of sums with 32 bits.
///
/// # Safety
/// For every method: the processor has the instructions of the implementation, and pointers are valid for a register.
pub(super) trait ByteLanes: Copy {
    /// Sums of a register, each of a group of four bytes.
    const SUMS: usize;
    /// A register of as many floats.
    type Floats: Lanes;
    unsafe fn load(from: *const u8) -> Self;
    /// The four bytes of a group, for every sum.
    unsafe fn splat_group(group: i32) -> Self;
    /// Integers of 16 bits that are all 1.
    unsafe fn ones() -> Self;
    /// Zeros instead of the second byte of each pair.
    unsafe fn firsts(self) -> Self;
    /// Zeros instead of the first byte of each pair.
    unsafe fn seconds(self) -> Self;
    /// `self` plus the products of each group of bytes. Two products of neighbors fit in 16 bits.
    unsafe fn add_products(self, bytes: Self, weights: Self, ones: Self) -> Self;
}

/// [`ByteProduct::run_chunk`] compiled for the instructions of a level.
pub(super) type RunChunk = unsafe fn(ByteProduct<'_>, Range<usize>, *mut u8);

/// A product of bytes.
#[derive(Clone, Copy)]
pub(super) struct ByteProduct<'a> {
    product: &'a Product<'a>,
    large: &'a LargeGroups,
}

impl<'a> ByteProduct<'a> {
    /// `None` if another kernel is faster: there are few rows, or many large weights.
    ///
    /// # Safety
    /// The processor has AVX2.
    pub(super) unsafe fn new(product: &'a Product<'a>) -> Option<Self> {
        if product.x.rows() < FEWEST_ROWS {
            return None;
        }
        // SAFETY: as the caller promises.
        let large = unsafe { product.large_groups() };
        large.are_few().then_some(Self { product, large })
    }

    /// Computes all rows, some at a time. `run_chunk` is [`ByteProduct::run_chunk`] compiled for the instructions, and
    /// `block` the number of rows in its largest block.
    ///
    /// # Safety
    /// The processor has the instructions of `run_chunk`.
    pub(super) unsafe fn run(self, block: usize, run_chunk: RunChunk) {
        let rows = self.product.x.rows();
        let row_bytes = self.row_bytes();
        let chunk = ((CHUNK_BYTES / row_bytes / block).max(1) * block).min(rows);
        with_scratch(chunk * row_bytes, |scratch| {
            for first in (0..rows).step_by(chunk) {
                // SAFETY: the instructions, as the caller promises; there is room for a chunk of rows.
                unsafe { run_chunk(self, first..(first + chunk).min(rows), scratch) };
            }
        });
    }

    /// Bytes of a row in the scratch.
    fn row_bytes(&self) -> usize {
        self.product.shape.used_groups() * GROUP
    }

    /// Computes some rows.
    ///
    /// # Safety
    /// The processor has the instructions of the lanes. The rows exist, and there is room for them in the scratch.
    #[inline(always)]
    pub(super) unsafe fn run_chunk<B: ByteLanes>(self, rows: Range<usize>, scratch: *mut u8) {
        let mut row = rows.start;
        // SAFETY: blocks within the rows, each in its place of the scratch; panels within the weights.
        unsafe {
            while row < rows.end {
                let count = block_rows::<B>(rows.end - row);
                let to = scratch.add((row - rows.start) * self.row_bytes());
                interleave(self.product.x, row..row + count, to);
                row += count;
            }
            for panel in 0..self.product.shape.panels() {
                let mut row = rows.start;
                while row < rows.end {
                    let a = scratch.add((row - rows.start) * self.row_bytes());
                    row += self.panel::<B>(a, row..rows.end, panel);
                }
            }
        }
    }

    /// A block of the first of these rows with a panel; returns the number of rows.
    #[inline(always)]
    unsafe fn panel<B: ByteLanes>(self, a: *const u8, rows: Range<usize>, panel: usize) -> usize {
        let count = block_rows::<B>(rows.len());
        for part in 0..PANEL / B::SUMS {
            let place = Place { a, row: rows.start, panel, part };
            // SAFETY: as the caller promises.
            unsafe {
                match count {
                    24 if B::SUMS == PANEL => self.block::<B, 24>(place),
                    12 => self.block::<B, 12>(place),
                    6 => self.block::<B, 6>(place),
                    4 => self.block::<B, 4>(place),
                    3 => self.block::<B, 3>(place),
                    2 => self.block::<B, 2>(place),
                    _ => self.block::<B, 1>(place),
                }
            }
        }
        count
    }

    /// A block whose sums stay in registers.
    #[inline(always)]
    unsafe fn block<B: ByteLanes, const ROWS: usize>(self, place: Place) {
        let product = self.product;
        let Place { a, row, panel, part } = place;
        let first_output = panel * PANEL + part * B::SUMS;
        if first_output >= product.shape.outputs() {
            return;
        }
        // SAFETY: as the caller promises; groups are within the panel.
        unsafe {
            let b = product.panel(panel).add(part * B::SUMS * GROUP);
            let offsets = product.panel_offsets(panel).add(part * B::SUMS);
            let mut sums = [B::load(offsets.cast()); ROWS];
            let mut next = 0;
            for large in self.large.of(panel) {
                let group = usize::from(*large);
                sums = add_groups(sums, a, b, next..group);
                sums = add_large_group(sums, a, b, group);
                next = group + 1;
            }
            sums = add_groups(sums, a, b, next..product.shape.used_groups());
            let sums = Sums {
                sums: sums.as_ptr().cast(),
                stride: B::SUMS,
                first_row: row,
                rows: ROWS,
                first_output,
            };
            finish::<B::Floats>(product, &sums);
        }
    }
}

/// Where a block is.
#[derive(Clone, Copy)]
struct Place {
    /// Its rows in the scratch.
    a: *const u8,
    row: usize,
    panel: usize,
    /// Which register of the panel.
    part: usize,
}

/// Rows that are computed together, of those that are left. Sums take 12 of 16 registers, or 24 of 32.
fn block_rows<B: ByteLanes>(left: usize) -> usize {
    match left {
        24.. if B::SUMS == PANEL => 24,
        12.. => 12,
        6.. => 6,
        4.. => 4,
        left => left,
    }
}

/// Writes the four bytes of every row for each group of inputs, so that a kernel reads them in one stream.
///
/// # Safety
/// The rows exist, and there is room for them.
unsafe fn interleave(x: &QuantizedRows, rows: Range<usize>, to: *mut u8) {
    let count = rows.len();
    for (nth, row) in rows.enumerate() {
        let from = x.row(row);
        let to = to.cast::<u32>();
        for group in 0..x.width().div_ceil(GROUP) {
            // SAFETY: as the caller promises; rows are padded to whole lines.
            unsafe {
                let four = from.add(group * GROUP).cast::<u32>().read_unaligned();
                to.add(group * count + nth).write(four);
            }
        }
    }
}

/// Adds the products of groups that are not large.
///
/// # Safety
/// The processor has the instructions of the lanes. The groups are within the rows at `a` and the weights at `b`.
#[inline(always)]
unsafe fn add_groups<B: ByteLanes, const ROWS: usize>(
    mut sums: [B; ROWS],
    a: *const u8,
    b: *const u8,
    groups: Range<usize>,
) -> [B; ROWS] {
    // SAFETY: as the caller promises.
    unsafe {
        // Hidden from the compiler, which could replace the multiplication by ones with several other instructions.
        let ones = black_box(B::ones());
        for group in groups {
            let weights = B::load(b.add(group * LINE));
            let row = a.add(group * ROWS * GROUP);
            for r in 0..ROWS {
                let bytes = B::splat_group(row.add(r * GROUP).cast::<i32>().read_unaligned());
                sums[r] = sums[r].add_products(bytes, weights, ones);
            }
        }
    }
    sums
}

/// Adds the products of a large group: a single product always fits in 16 bits.
///
/// # Safety
/// As for `add_groups`.
#[inline(always)]
unsafe fn add_large_group<B: ByteLanes, const ROWS: usize>(
    mut sums: [B; ROWS],
    a: *const u8,
    b: *const u8,
    group: usize,
) -> [B; ROWS] {
    // SAFETY: as the caller promises.
    unsafe {
        let weights = B::load(b.add(group * LINE));
        let firsts = weights.firsts();
        let seconds = weights.seconds();
        let ones = B::ones();
        let row = a.add(group * ROWS * GROUP);
        for r in 0..ROWS {
            let bytes = B::splat_group(row.add(r * GROUP).cast::<i32>().read_unaligned());
            sums[r] = sums[r].add_products(bytes, firsts, ones).add_products(bytes, seconds, ones);
        }
    }
    sums
}
