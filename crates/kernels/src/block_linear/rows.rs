//! Rows of floats as bytes, with a scale for every 32 of them: the input of the products with weights in blocks. A scale
//! for a whole row would be too coarse, because a few numbers in a language model are a hundred times larger than the rest.

use std::sync::Mutex;

use super::layout::{LARGE_BLOCK, PART};
use super::six_bits::{MIDDLE, PARTS as SIX_BIT_PARTS};
use super::workers::Workers;
use crate::elementwise::largest_size;
use crate::lanes::{Lanes, lanes_dispatch};
use crate::levels::UsableLevel;
use crate::quantized_rows::quantize_row;
use crate::usable_level;

/// Inputs of a part of weights of 6 bits.
const HALF: usize = LARGE_BLOCK / SIX_BIT_PARTS;
const HALVES: usize = PART / HALF;
/// Fewer floats are quantized sooner by one worker than shared out.
const WORTH_SHARING: usize = 1 << 16;

/// Rows of floats, quantized to 8 bits in parts of 32. Keep it and fill it again: its memory is reused.
#[derive(Default)]
pub struct BlockRows {
    /// Signed numbers, padded with zeros to whole parts.
    numbers: Vec<i8>,
    /// The scale of each part.
    scales: Vec<f32>,
    /// −scale × the sum of the numbers of each part: what a minimum of the weights is multiplied by.
    negative_sums: Vec<f32>,
    /// Takes back that weights of 6 bits are stored without a sign, for each half of a part.
    offsets: Vec<i32>,
    rows: usize,
    width: usize,
}

impl BlockRows {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of floats in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Quantizes rows of `width` floats.
    pub fn fill(&mut self, floats: &[f32], width: usize, workers: &dyn Workers) {
        self.fill_at(usable_level(), floats, width, workers);
    }

    /// As `fill`, at the given level.
    pub(crate) fn fill_at(
        &mut self,
        level: UsableLevel,
        floats: &[f32],
        width: usize,
        workers: &dyn Workers,
    ) {
        assert!(width > 0 && floats.len().is_multiple_of(width), "whole rows are quantized");
        self.rows = floats.len() / width;
        self.width = width;
        let parts = self.rows * self.parts();
        self.numbers.resize(parts * PART, 0);
        self.scales.resize(parts, 0.0);
        self.negative_sums.resize(parts, 0.0);
        self.offsets.resize(parts * HALVES, 0);
        let shares = self.shares(floats, if floats.len() < WORTH_SHARING { 1 } else { workers.count() });
        // Each share is taken by one worker, so that nobody ever waits for a lock.
        workers.share(shares.len(), &|nth| {
            if let Some(share) = shares[nth].lock().ok().and_then(|mut share| share.take()) {
                quantize_at(level, share);
            }
        });
    }

    /// The rows in at most `count` shares.
    fn shares<'a>(&'a mut self, floats: &'a [f32], count: usize) -> Vec<Mutex<Option<Share<'a>>>> {
        let width = self.width;
        let parts = self.parts();
        let rows = self.rows.div_ceil(count).max(1);
        let numbers = self.numbers.chunks_mut(rows * parts * PART);
        let scales = self.scales.chunks_mut(rows * parts).zip(self.negative_sums.chunks_mut(rows * parts));
        let sums = scales.zip(self.offsets.chunks_mut(rows * parts * HALVES));
        let shares = floats.chunks(rows * width).zip(numbers).zip(sums);
        let share = |((floats, numbers), ((scales, negative_sums), offsets))| {
            Mutex::new(Some(Share { floats, width, parts, numbers, scales, negative_sums, offsets }))
        };
        shares.map(share).collect()
    }

    /// Parts in a row.
    pub(super) fn parts(&self) -> usize {
        self.width.div_ceil(PART)
    }

    /// The numbers, scales, negative sums and offsets of a row.
    pub(super) fn row(&self, row: usize) -> (&[i8], &[f32], &[f32], &[i32]) {
        let parts = self.parts();
        let at = row * parts;
        (
            &self.numbers[at * PART..][..parts * PART],
            &self.scales[at..][..parts],
            &self.negative_sums[at..][..parts],
            &self.offsets[at * HALVES..][..parts * HALVES],
        )
    }
}

/// Some rows that are quantized.
struct Share<'a> {
    floats: &'a [f32],
    width: usize,
    /// Parts in a row.
    parts: usize,
    numbers: &'a mut [i8],
    scales: &'a mut [f32],
    negative_sums: &'a mut [f32],
    offsets: &'a mut [i32],
}

lanes_dispatch! {
    fn quantize_at(share: Share<'_>) = quantize_rows
}

#[inline(always)]
unsafe fn quantize_rows<L: Lanes>(share: Share<'_>) {
    for (row, floats) in share.floats.chunks_exact(share.width).enumerate() {
        for (part, floats) in floats.chunks(PART).enumerate() {
            let place = row * share.parts + part;
            let mut whole = [0.0; PART];
            whole[..floats.len()].copy_from_slice(floats);
            let mut bytes = [0u8; PART];
            // SAFETY: a part is whole registers of every width.
            let scale = unsafe {
                let largest = largest_size::<L>(&whole);
                quantize_row::<L>(&whole, largest, bytes.as_mut_ptr())
            };
            let numbers = &mut share.numbers[place * PART..][..PART];
            for (number, byte) in numbers.iter_mut().zip(bytes) {
                *number = (byte ^ 0x80) as i8;
            }
            let mut total = 0;
            for (half, numbers) in numbers.chunks_exact(HALF).enumerate() {
                let sum: i32 = numbers.iter().map(|number| i32::from(*number)).sum();
                share.offsets[place * HALVES + half] = -MIDDLE * sum;
                total += sum;
            }
            share.scales[place] = scale;
            share.negative_sums[place] = -scale * total as f32;
        }
    }
}
