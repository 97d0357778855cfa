//! The keys and values of a sequence or of its audio, reused from segment to segment.

use std::sync::Arc;

use auris_kernels::KeyValues;
use parking_lot::Mutex;

/// Maximum bytes of spare memories. In steady work a few are spare: each segment that ends makes room for the next.
const MAX_SPARE_BYTES: usize = 64 << 20;
/// A spare memory is not used for less than this share of its rows, so that short segments do not occupy the memory of
/// long ones. A few rows are always worth it.
const MIN_USE: usize = 2;
const FEW_ROWS: usize = 256;

/// How many heads a decoder has in all its layers, and how wide they are.
#[derive(Debug, Clone, Copy)]
pub(super) struct MemoryShape {
    pub(super) layers: usize,
    pub(super) heads: usize,
    pub(super) head_width: usize,
}

/// The numbers that keys and values are stored as.
#[derive(Debug, Clone, Copy)]
pub(super) enum NumberFormat {
    Bfloat16,
    /// With a scale for each row of a head: half the memory, and half the time to read it.
    Bytes,
}

impl NumberFormat {
    fn empty(self, head_width: usize) -> KeyValues {
        match self {
            Self::Bfloat16 => KeyValues::new(head_width),
            Self::Bytes => KeyValues::new_compact(head_width),
        }
    }

    /// The bytes of a key or a value.
    fn bytes(self, head_width: usize) -> usize {
        let numbers = head_width.next_multiple_of(4);
        match self {
            Self::Bfloat16 => numbers * size_of::<u16>(),
            Self::Bytes => numbers + size_of::<f32>(),
        }
    }
}

/// Memories of segments that ended, for the next ones: allocating them takes longer than some layers.
pub(super) struct MemoryPool {
    shape: MemoryShape,
    format: NumberFormat,
    spare: Mutex<Vec<Spare>>,
}

struct Spare {
    memories: Vec<KeyValues>,
    rows: usize,
}

/// Keys and values of every head of a decoder. Goes back to its pool when dropped.
pub(super) struct Memory {
    memories: Vec<KeyValues>,
    /// The most rows that these memories ever had.
    rows: usize,
    pool: Arc<MemoryPool>,
}

impl MemoryPool {
    pub(super) fn new(shape: MemoryShape, format: NumberFormat) -> Arc<Self> {
        Arc::new(Self { shape, format, spare: Mutex::default() })
    }

    /// The bytes of this number of rows of keys and values.
    pub(super) fn bytes(&self, rows: usize) -> usize {
        let MemoryShape { layers, heads, head_width } = self.shape;
        rows.next_multiple_of(32) * 2 * self.format.bytes(head_width) * heads * layers
    }

    /// An empty memory, with space for `rows` if a spare one is suitable.
    pub(super) fn take(self: &Arc<Self>, rows: usize) -> Memory {
        let spare = self.suitable(rows).unwrap_or_else(|| self.allocate());
        Memory { memories: spare.memories, rows: spare.rows, pool: self.clone() }
    }

    fn suitable(&self, rows: usize) -> Option<Spare> {
        let mut spare = self.spare.lock();
        let most = (rows * MIN_USE).max(FEW_ROWS);
        let fitting = spare.iter().enumerate().filter(|(_, one)| (rows..=most).contains(&one.rows));
        let (nth, _) = fitting.min_by_key(|(_, one)| one.rows)?;
        Some(spare.swap_remove(nth))
    }

    fn allocate(&self) -> Spare {
        let MemoryShape { layers, heads, head_width } = self.shape;
        Spare { memories: vec![self.format.empty(head_width); layers * heads], rows: 0 }
    }

    /// Keeps a memory, instead of the oldest ones if there are too many.
    fn give_back(&self, returned: Spare) {
        let mut spare = self.spare.lock();
        spare.push(returned);
        let mut bytes: usize = spare.iter().map(|one| self.bytes(one.rows)).sum();
        while bytes > MAX_SPARE_BYTES {
            bytes -= self.bytes(spare.remove(0).rows);
        }
    }
}

impl Memory {
    /// The heads of a layer.
    pub(super) fn layer(&self, layer: usize) -> &[KeyValues] {
        let heads = self.pool.shape.heads;
        &self.memories[layer * heads..(layer + 1) * heads]
    }

    pub(super) fn layer_mut(&mut self, layer: usize) -> &mut [KeyValues] {
        let heads = self.pool.shape.heads;
        &mut self.memories[layer * heads..(layer + 1) * heads]
    }

    /// The same keys and values again.
    pub(super) fn copy(&self) -> Self {
        let mut copy = self.pool.take(self.memories.first().map_or(0, KeyValues::len));
        for (to, from) in copy.memories.iter_mut().zip(&self.memories) {
            to.clone_from(from);
        }
        copy
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.memories.iter().map(KeyValues::bytes).sum()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let mut memories = std::mem::take(&mut self.memories);
        let rows = memories.first().map_or(0, KeyValues::len).max(self.rows);
        memories.iter_mut().for_each(KeyValues::clear);
        self.pool.give_back(Spare { memories, rows });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: MemoryShape = MemoryShape { layers: 2, heads: 3, head_width: 4 };

    fn filled(pool: &Arc<MemoryPool>, rows: usize) -> Memory {
        let mut memory = pool.take(rows);
        let floats = vec![1.0; rows * 4];
        for layer in 0..SHAPE.layers {
            memory.layer_mut(layer).iter_mut().for_each(|head| head.extend(&floats, &floats, 4, rows));
        }
        memory
    }

    #[test]
    fn a_memory_is_reused_empty_by_a_segment_that_fits_it() {
        let pool = MemoryPool::new(SHAPE, NumberFormat::Bfloat16);
        drop(filled(&pool, 600));
        let again = pool.take(500);
        assert_eq!(again.rows, 600);
        assert!((0..SHAPE.layers).all(|layer| again.layer(layer).iter().all(KeyValues::is_empty)));
        assert_eq!(again.layer(1).len(), SHAPE.heads);
    }

    #[test]
    fn a_short_segment_does_not_occupy_the_memory_of_a_long_one() {
        let pool = MemoryPool::new(SHAPE, NumberFormat::Bfloat16);
        drop(filled(&pool, 1_000));
        assert_eq!(pool.take(10).rows, 0);
        assert_eq!(pool.take(1_001).rows, 0);
    }

    #[test]
    fn spare_memories_are_limited_and_the_oldest_goes_first() {
        let shape = MemoryShape { layers: 32, heads: 20, head_width: 64 };
        let pool = MemoryPool::new(shape, NumberFormat::Bytes);
        let rows = MAX_SPARE_BYTES / pool.bytes(32) * 32 / 2;
        let spare = |extra: usize| Spare { memories: Vec::new(), rows: rows - 64 + extra };
        (0..3).for_each(|nth| pool.give_back(spare(nth * 32)));
        let kept: Vec<usize> = pool.spare.lock().iter().map(|one| one.rows).collect();
        assert_eq!(kept, [rows - 32, rows]);
    }
}
