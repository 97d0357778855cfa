//! Keys and values of one head.

use crate::memory::{LINE, Line, bytes_of_mut};

/// Keys in a panel: the width of a tile.
pub(super) const PANEL: usize = 16;
/// Keys are padded to this many: what a tile of values takes.
pub(super) const TILE_KEYS: usize = 32;
/// The widest head.
pub(super) const WIDEST: usize = 128;
/// How far tiles and registers read behind the last key or value, in bytes.
const OVERREAD: usize = 1024;

/// A number of keys, padded to whole tiles.
pub(super) fn padded(keys: usize) -> usize {
    keys.next_multiple_of(TILE_KEYS)
}

/// The numbers that keys and values are stored as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Format {
    /// Keys: panels of sixteen keys × pairs of dimensions × keys × two. Values: pairs of keys × columns × two.
    #[default]
    Bfloat16,
    /// A byte is the number plus 128; each key and each value has a scale. Keys: panels of sixteen keys × dimensions ×
    /// keys. Values: keys × columns.
    Bytes,
}

impl Format {
    /// Bytes of a number.
    fn size(self) -> usize {
        match self {
            Self::Bfloat16 => 2,
            Self::Bytes => 1,
        }
    }
}

/// The keys and values of one head. As bfloat16 they take half the memory of floats, and half the time to read, which is
/// what a step of a decoder mostly does; as bytes a quarter. Sums are floats.
#[derive(Default)]
pub struct KeyValues {
    /// Behind the last key are zeros.
    pub(super) keys: Vec<Line>,
    /// Behind the last value are zeros.
    pub(super) values: Vec<Line>,
    /// Of each key, only for bytes; zeros behind the last one.
    pub(super) key_scales: Vec<f32>,
    /// Of each value, only for bytes; zeros behind the last one.
    pub(super) value_scales: Vec<f32>,
    pub(super) format: Format,
    pub(super) length: usize,
    width: usize,
}

impl Clone for KeyValues {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Uses the memory that is reserved already, if it is enough.
    fn clone_from(&mut self, source: &Self) {
        self.keys.clone_from(&source.keys);
        self.values.clone_from(&source.values);
        self.key_scales.clone_from(&source.key_scales);
        self.value_scales.clone_from(&source.value_scales);
        self.format = source.format;
        self.length = source.length;
        self.width = source.width;
    }
}

impl KeyValues {
    /// No keys yet, of a head that is `width` wide: at most 128. Numbers are stored as bfloat16.
    pub fn new(width: usize) -> Self {
        assert!((1..=WIDEST).contains(&width), "a head is 1 to {WIDEST} wide");
        Self { width, ..Self::default() }
    }

    /// As `new`, with numbers stored as bytes and a scale for each key and each value: for memory that is written once and
    /// read by many queries. A number differs by at most 1/254 of the largest one of its key or value. So a score differs
    /// by at most that part of the largest number of the key × the sum of the sizes of the query.
    pub fn new_compact(width: usize) -> Self {
        Self { format: Format::Bytes, ..Self::new(width) }
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The width of the head.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The memory that it occupies, in bytes.
    pub fn bytes(&self) -> usize {
        let scales = self.key_scales.capacity() + self.value_scales.capacity();
        (self.keys.capacity() + self.values.capacity()) * LINE + scales * size_of::<f32>()
    }

    /// Removes all keys and values. The memory stays reserved.
    pub fn clear(&mut self) {
        // What is added again is zero before it is written.
        self.keys.clear();
        self.values.clear();
        self.key_scales.clear();
        self.value_scales.clear();
        self.length = 0;
    }

    /// Removes all keys and values but the first `length`. The memory is not compact.
    pub fn truncate(&mut self, length: usize) {
        assert_eq!(self.format, Format::Bfloat16, "the memory is not compact");
        if length >= self.length {
            return;
        }
        let size = self.format.size();
        let columns = self.columns();
        let padded = padded(length);
        self.keys.truncate((padded / PANEL * self.panel_size() * size).div_ceil(LINE));
        self.values.truncate((padded * columns * size).div_ceil(LINE));
        let panel = self.panel_size() * size;
        let keys = bytes_of_mut(&mut self.keys);
        let values = bytes_of_mut(&mut self.values);
        for place in length..padded {
            // A pair of dimensions of a key, and a number of a value, lie side by side; those of its neighbors follow.
            let key = keys[place / PANEL * panel..][..panel].chunks_exact_mut(2 * size * PANEL);
            key.for_each(|pairs| pairs[place % PANEL * 2 * size..][..2 * size].fill(0));
            let value =
                values[place / 2 * columns * 2 * size..][..columns * 2 * size].chunks_exact_mut(2 * size);
            value.for_each(|pair| pair[place % 2 * size..][..size].fill(0));
        }
        self.length = length;
        // What registers read behind the last key exists again, as zeros.
        self.reserve(length);
    }

    /// The number of keys, padded to whole tiles.
    pub(super) fn padded_length(&self) -> usize {
        padded(self.length)
    }

    /// Numbers in a panel of keys. It is not padded to whole tiles, because a step of a decoder waits for memory. A tile may
    /// read on into the next panel, where it is multiplied by zeros of the query.
    pub(super) fn panel_size(&self) -> usize {
        match self.format {
            Format::Bfloat16 => self.width.next_multiple_of(2) * PANEL,
            Format::Bytes => self.width * PANEL,
        }
    }

    /// Columns of the values, hardly padded for the same reason.
    pub(super) fn columns(&self) -> usize {
        self.width.next_multiple_of(4)
    }

    /// Makes room for this many keys and values in all, and for no more if there was less than half of it.
    pub fn reserve(&mut self, length: usize) {
        let padded = padded(length);
        let keys = padded / PANEL * self.panel_size() * self.format.size() + OVERREAD;
        let values = padded * self.columns() * self.format.size() + OVERREAD;
        for (lines, bytes) in [(&mut self.keys, keys), (&mut self.values, values)] {
            if bytes > lines.len() * LINE {
                lines.resize(bytes.div_ceil(LINE), Line::ZERO);
            }
        }
        if self.format == Format::Bytes && padded > self.key_scales.len() {
            self.key_scales.resize(padded, 0.0);
            self.value_scales.resize(padded, 0.0);
        }
    }
}
