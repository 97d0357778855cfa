//! Rows as 16-bit integers, for processors without dot products of bytes.

use std::arch::x86_64::*;

use crate::QuantizedRows;

/// The rows widened at once, in bytes: they stay in the second-level cache while all weights pass by.
const CHUNK_BYTES: usize = 96 * 1024;
/// Inputs widened by one instruction.
const STEP: usize = 16;

/// Bytes of one widened row. It is padded to whole steps.
pub(super) fn row_bytes(inputs: usize) -> usize {
    inputs.next_multiple_of(STEP) * 2
}

/// How many rows are widened at once: whole blocks of `block` rows, at least one.
pub(super) fn chunk_rows(inputs: usize, block: usize) -> usize {
    (CHUNK_BYTES / row_bytes(inputs) / block).max(1) * block
}

/// Widens a block of `ROWS` rows: for each group of four inputs, the four numbers of every row. So a kernel reads them in
/// one stream.
///
/// # Safety
/// The processor has AVX2. The rows exist, and there is room for them.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn widen<const ROWS: usize>(x: &QuantizedRows, first_row: usize, to: *mut i16) {
    // SAFETY: rows are padded to whole lines, the target to whole steps.
    unsafe {
        let offset = _mm256_set1_epi16(128);
        for row in 0..ROWS {
            let from = x.row(first_row + row);
            let to = to.add(row * 4);
            for at in (0..x.width()).step_by(STEP) {
                let bytes = _mm_loadu_si128(from.add(at).cast());
                let numbers = _mm256_sub_epi16(_mm256_cvtepu8_epi16(bytes), offset);
                let lower = _mm256_castsi256_si128(numbers);
                let upper = _mm256_extracti128_si256::<1>(numbers);
                let to = to.add(at * ROWS);
                _mm_storel_epi64(to.cast(), lower);
                _mm_storeh_pd(to.add(4 * ROWS).cast(), _mm_castsi128_pd(lower));
                _mm_storel_epi64(to.add(8 * ROWS).cast(), upper);
                _mm_storeh_pd(to.add(12 * ROWS).cast(), _mm_castsi128_pd(upper));
            }
        }
    }
}
