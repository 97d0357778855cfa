//! Writing keys and values in the layouts of the two formats.

use super::KeyValues;
use super::key_values::{Format, PANEL, WIDEST};
use crate::elementwise::largest_size;
use crate::lanes::{Lanes, lanes_dispatch};
use crate::levels::UsableLevel;
use crate::quantized_rows::quantize_row;
use crate::usable_level;

/// The widest head, and a register behind it.
const ROOM: usize = WIDEST + PANEL;

/// How rows lie in a slice.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    /// Floats from row to row.
    pub(crate) stride: usize,
    pub(crate) count: usize,
}

impl KeyValues {
    /// Adds keys and values: rows that start every `stride` floats, each beginning with the floats of this head.
    pub fn extend(&mut self, keys: &[f32], values: &[f32], stride: usize, rows: usize) {
        self.extend_at(usable_level(), keys, values, Rows { stride, count: rows });
    }

    /// As `extend`, at the given level.
    pub(crate) fn extend_at(&mut self, level: UsableLevel, keys: &[f32], values: &[f32], rows: Rows) {
        if rows.count == 0 {
            return;
        }
        assert!(self.width() > 0, "a default memory has no width");
        let last = (rows.count - 1).saturating_mul(rows.stride).saturating_add(self.width());
        assert!(keys.len() >= last && values.len() >= last, "all rows are within the floats");
        self.reserve(self.length + rows.count);
        append_at(level, self, keys, values, rows);
        self.length += rows.count;
    }
}

lanes_dispatch! {
    /// Writes rows behind those that are there. There is room for them, and all rows are within the slices.
    fn append_at(memory: &mut KeyValues, keys: &[f32], values: &[f32], rows: Rows) = append
}

#[inline(always)]
unsafe fn append<L: Lanes>(memory: &mut KeyValues, keys: &[f32], values: &[f32], rows: Rows) {
    let (width, first) = (memory.width(), memory.len());
    let mut row = 0;
    while row < rows.count {
        let (place, at) = (first + row, row * rows.stride);
        let (key, value) = (&keys[at..at + width], &values[at..at + width]);
        // SAFETY: there is room for these rows.
        unsafe {
            match memory.format {
                Format::Bytes => store_bytes::<L>(memory, place, key, value),
                // Values as bfloat16 are laid out in pairs of rows: two at once where both are at hand.
                Format::Bfloat16 if place.is_multiple_of(2) && row + 1 < rows.count => {
                    let at = at + rows.stride;
                    store_key::<L>(memory, place, key);
                    store_key::<L>(memory, place + 1, &keys[at..at + width]);
                    store_two_values::<L>(memory, place, value, &values[at..at + width]);
                    row += 1;
                }
                Format::Bfloat16 => {
                    store_key::<L>(memory, place, key);
                    store_value::<L>(memory, place, value);
                }
            }
        }
        row += 1;
    }
}

/// # Safety
/// The processor has the instructions of the lanes; there is room for the key.
#[inline(always)]
unsafe fn store_key<L: Lanes>(memory: &mut KeyValues, place: usize, key: &[f32]) {
    let size = memory.panel_size();
    // SAFETY: as the caller promises. A line is aligned, and so are pairs of numbers in it.
    unsafe {
        let numbers = to_bfloats::<L>(key);
        let panel = memory.keys.as_mut_ptr().cast::<u16>().add(place / PANEL * size).cast::<u32>();
        for pair in 0..key.len().div_ceil(2) {
            let two = u32::from(numbers[2 * pair]) | u32::from(numbers[2 * pair + 1]) << 16;
            panel.add(pair * PANEL + place % PANEL).write(two);
        }
    }
}

/// # Safety
/// The processor has the instructions of the lanes; there is room for the value.
#[inline(always)]
unsafe fn store_value<L: Lanes>(memory: &mut KeyValues, place: usize, value: &[f32]) {
    let columns = memory.columns();
    // SAFETY: as the caller promises.
    unsafe {
        let numbers = to_bfloats::<L>(value);
        let to = memory.values.as_mut_ptr().cast::<u16>().add(place / 2 * columns * 2 + place % 2);
        for column in 0..value.len() {
            to.add(2 * column).write(numbers[column]);
        }
    }
}

/// # Safety
/// The processor has the instructions of the lanes; there is room for the values; the place is even.
#[inline(always)]
unsafe fn store_two_values<L: Lanes>(memory: &mut KeyValues, place: usize, first: &[f32], second: &[f32]) {
    let columns = memory.columns();
    // SAFETY: as the caller promises. Pairs of numbers are aligned.
    unsafe {
        let (one, other) = (to_bfloats::<L>(first), to_bfloats::<L>(second));
        let to = memory.values.as_mut_ptr().cast::<u16>().add(place * columns).cast::<u32>();
        for column in 0..first.len() {
            to.add(column).write(u32::from(one[column]) | u32::from(other[column]) << 16);
        }
    }
}

/// # Safety
/// The processor has the instructions of the lanes; there is room for key and value.
#[inline(always)]
unsafe fn store_bytes<L: Lanes>(memory: &mut KeyValues, place: usize, key: &[f32], value: &[f32]) {
    let (size, columns) = (memory.panel_size(), memory.columns());
    let mut numbers = [0u8; ROOM];
    // SAFETY: as the caller promises; `numbers` has room for a register behind the widest row.
    unsafe {
        memory.key_scales[place] = quantize_row::<L>(key, largest_size::<L>(key), numbers.as_mut_ptr());
        let panel = memory.keys.as_mut_ptr().cast::<u8>().add(place / PANEL * size + place % PANEL);
        for dimension in 0..key.len() {
            panel.add(dimension * PANEL).write(numbers[dimension]);
        }
        memory.value_scales[place] = quantize_row::<L>(value, largest_size::<L>(value), numbers.as_mut_ptr());
        let to = memory.values.as_mut_ptr().cast::<u8>().add(place * columns);
        std::ptr::copy_nonoverlapping(numbers.as_ptr(), to, value.len());
    }
}

/// A row rounded to bfloat16, zeros behind it.
///
/// # Safety
/// The processor has the instructions of the lanes; the row is at most as wide as the widest head.
#[inline(always)]
unsafe fn to_bfloats<L: Lanes>(row: &[f32]) -> [u16; ROOM] {
    let mut numbers = [0; ROOM];
    for at in (0..row.len()).step_by(L::WIDTH) {
        // SAFETY: a full register is written; there is room for one behind the widest row.
        unsafe {
            let floats = L::load_some(row.as_ptr().add(at), row.len() - at);
            floats.store_bfloats(numbers.as_mut_ptr().add(at));
        }
    }
    numbers
}
