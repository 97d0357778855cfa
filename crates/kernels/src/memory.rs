//! Memory that weights and rows lie in: lines of 64 bytes, owned or borrowed from a mapped file.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a line. Registers and tiles are loaded in lines, and a load that crosses two of them costs twice.
pub(crate) const LINE: usize = 64;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [u8; LINE]);

impl Line {
    pub(crate) const ZERO: Self = Self([0; LINE]);
}

/// Lines as the bytes that they are.
pub(crate) fn bytes_of(lines: &[Line]) -> &[u8] {
    // SAFETY: a line is exactly its 64 bytes, without padding between lines.
    unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), size_of_val(lines)) }
}

/// The same, to be written.
pub(crate) fn bytes_of_mut(lines: &mut [Line]) -> &mut [u8] {
    // SAFETY: a line is exactly its 64 bytes, without padding between lines, and any bytes are a line.
    unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), size_of_val(lines)) }
}

/// Bytes that weights are borrowed from, usually a mapped file. A copy refers to the same bytes.
#[derive(Clone)]
pub struct Storage(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl Storage {
    /// Shares the bytes. They must stay the same for as long as the storage exists.
    pub fn new(bytes: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl fmt::Debug for Storage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Storage").field("bytes", &self.bytes().len()).finish()
    }
}

/// Weights in memory.
#[derive(Clone)]
pub(crate) enum WeightBytes {
    Owned(Box<[Line]>),
    Borrowed { storage: Storage, range: Range<usize> },
}

impl WeightBytes {
    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Owned(lines) => bytes_of(lines),
            Self::Borrowed { storage, range } => &storage.bytes()[range.clone()],
        }
    }
}
