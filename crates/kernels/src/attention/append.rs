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
    let new = NewRows { keys, values, stride: rows.stride, width: memory.width() };
    let first = memory.len();
    let mut row = 0;
    while row < rows.count {
        let place = first + row;
        let is_panel = place.is_multiple_of(PANEL) && row + PANEL <= rows.count;
        // SAFETY: there is room for these rows.
        row += unsafe {
            match (memory.format, is_panel) {
                (Format::Bytes, true) => append_panel_of_bytes::<L>(memory, place, new, row),
                (Format::Bytes, false) => append_bytes::<L>(memory, place, new, row),
                (Format::Bfloat16, true) => append_panel::<L>(memory, place, new, row),
                (Format::Bfloat16, false) => append_one::<L>(memory, place, new, row),
            }
        };
    }
}

/// The rows that are added.
#[derive(Clone, Copy)]
struct NewRows<'a> {
    keys: &'a [f32],
    values: &'a [f32],
    stride: usize,
    width: usize,
}

impl<'a> NewRows<'a> {
    fn key(self, row: usize) -> &'a [f32] {
        &self.keys[row * self.stride..][..self.width]
    }

    fn value(self, row: usize) -> &'a [f32] {
        &self.values[row * self.stride..][..self.width]
    }
}

/// Sixteen rows: a whole panel of keys, which is written line by line. Returns their number.
///
/// # Safety
/// The processor has the instructions of the lanes; the rows exist, and there is room for them.
#[inline(always)]
unsafe fn append_panel<L: Lanes>(
    memory: &mut KeyValues,
    place: usize,
    new: NewRows<'_>,
    row: usize,
) -> usize {
    // SAFETY: as the caller promises.
    unsafe {
        store_panel::<L>(memory, place, new, row);
        for nth in (0..PANEL).step_by(2) {
            store_two_values::<L>(memory, place + nth, new.value(row + nth), new.value(row + nth + 1));
        }
    }
    PANEL
}

/// # Safety
/// The processor has the instructions of the lanes; the row exists, and there is room for it.
#[inline(always)]
unsafe fn append_one<L: Lanes>(memory: &mut KeyValues, place: usize, new: NewRows<'_>, row: usize) -> usize {
    // SAFETY: as the caller promises.
    unsafe {
        store_key::<L>(memory, place, new.key(row));
        store_value::<L>(memory, place, new.value(row));
    }
    1
}

/// Sixteen rows, as `append_panel`.
///
/// # Safety
/// The processor has the instructions of the lanes; the rows exist, and there is room for them.
#[inline(always)]
unsafe fn append_panel_of_bytes<L: Lanes>(
    memory: &mut KeyValues,
    place: usize,
    new: NewRows<'_>,
    row: usize,
) -> usize {
    // SAFETY: as the caller promises.
    unsafe {
        store_panel_of_bytes::<L>(memory, place, new, row);
        for nth in 0..PANEL {
            store_value_bytes::<L>(memory, place + nth, new.value(row + nth));
        }
    }
    PANEL
}

/// # Safety
/// The processor has the instructions of the lanes; the row exists, and there is room for it.
#[inline(always)]
unsafe fn append_bytes<L: Lanes>(
    memory: &mut KeyValues,
    place: usize,
    new: NewRows<'_>,
    row: usize,
) -> usize {
    // SAFETY: as the caller promises.
    unsafe {
        store_key_bytes::<L>(memory, place, new.key(row));
        store_value_bytes::<L>(memory, place, new.value(row));
    }
    1
}

/// # Safety
/// The processor has the instructions of the lanes; sixteen rows exist, and there is room for them.
#[inline(always)]
unsafe fn store_panel<L: Lanes>(memory: &mut KeyValues, place: usize, new: NewRows<'_>, row: usize) {
    let size = memory.panel_size();
    let mut rows = [[0u32; ROOM / 2]; PANEL];
    // SAFETY: as the caller promises. A line is aligned, and so are pairs of numbers in it.
    unsafe {
        for (key, numbers) in rows.iter_mut().enumerate() {
            bfloats_to::<L>(new.key(row + key), numbers.as_mut_ptr().cast());
        }
        let panel = memory.keys.as_mut_ptr().cast::<u16>().add(place / PANEL * size).cast::<[u32; PANEL]>();
        for pair in 0..new.width.div_ceil(2) {
            let mut line = [0; PANEL];
            for key in 0..PANEL {
                line[key] = rows[key][pair];
            }
            panel.add(pair).write(line);
        }
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
        let one = to_bfloats::<L>(first);
        let other = to_bfloats::<L>(second);
        let to = memory.values.as_mut_ptr().cast::<u16>().add(place * columns).cast::<u32>();
        for column in 0..first.len() {
            to.add(column).write(u32::from(one[column]) | u32::from(other[column]) << 16);
        }
    }
}

/// # Safety
/// The processor has the instructions of the lanes; sixteen rows exist, and there is room for them.
#[inline(always)]
unsafe fn store_panel_of_bytes<L: Lanes>(memory: &mut KeyValues, place: usize, new: NewRows<'_>, row: usize) {
    let size = memory.panel_size();
    let mut rows = [[0u8; ROOM]; PANEL];
    // SAFETY: as the caller promises; each row has room for a register behind the widest key.
    unsafe {
        for (key, numbers) in rows.iter_mut().enumerate() {
            let key_floats = new.key(row + key);
            let scale = quantize_row::<L>(key_floats, largest_size::<L>(key_floats), numbers.as_mut_ptr());
            memory.key_scales[place + key] = scale;
        }
        let panel = memory.keys.as_mut_ptr().cast::<u8>().add(place / PANEL * size).cast::<[u8; PANEL]>();
        for dimension in 0..new.width {
            let mut line = [0; PANEL];
            for key in 0..PANEL {
                line[key] = rows[key][dimension];
            }
            panel.add(dimension).write(line);
        }
    }
}

/// # Safety
/// The processor has the instructions of the lanes; there is room for the key.
#[inline(always)]
unsafe fn store_key_bytes<L: Lanes>(memory: &mut KeyValues, place: usize, key: &[f32]) {
    let size = memory.panel_size();
    let mut numbers = [0u8; ROOM];
    // SAFETY: as the caller promises; `numbers` has room for a register behind the widest row.
    unsafe {
        memory.key_scales[place] = quantize_row::<L>(key, largest_size::<L>(key), numbers.as_mut_ptr());
        let panel = memory.keys.as_mut_ptr().cast::<u8>().add(place / PANEL * size + place % PANEL);
        for dimension in 0..key.len() {
            panel.add(dimension * PANEL).write(numbers[dimension]);
        }
    }
}

/// # Safety
/// The processor has the instructions of the lanes; there is room for the value.
#[inline(always)]
unsafe fn store_value_bytes<L: Lanes>(memory: &mut KeyValues, place: usize, value: &[f32]) {
    let columns = memory.columns();
    let mut numbers = [0u8; ROOM];
    // SAFETY: as the caller promises; `numbers` has room for a register behind the widest row.
    unsafe {
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
    // SAFETY: there is room for a register behind the widest row.
    unsafe { bfloats_to::<L>(row, numbers.as_mut_ptr()) };
    numbers
}

/// Writes a row rounded to bfloat16 in whole registers.
///
/// # Safety
/// The processor has the instructions of the lanes; there is room for the row and a register.
#[inline(always)]
unsafe fn bfloats_to<L: Lanes>(row: &[f32], out: *mut u16) {
    for at in (0..row.len()).step_by(L::WIDTH) {
        // SAFETY: as the caller promises.
        unsafe { L::load_some(row.as_ptr().add(at), row.len() - at).store_bfloats(out.add(at)) };
    }
}
