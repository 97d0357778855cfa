//! Which weights are too large for products of bytes whose sums have 16 bits.

use std::arch::x86_64::*;

use super::packed::Shape;
use crate::memory::LINE;

/// The largest sum of two weights of the same sign whose products with any two bytes fit in 16 bits: 255 × 128 < 2^15.
const LARGEST_SUM: i16 = 128;
/// A large group takes twice the time of another one, and half again as long as with products of 16 bits. So products of
/// bytes are used while at most one group in this many is large. In the published models it is fewer than one in fifty.
const FEWEST_PER_LARGE: usize = 3;

/// The groups of each panel, in ascending order, in which the sum of two products might not fit in 16 bits.
pub(super) struct LargeGroups {
    /// Of all panels, one after the other. Empty if they are not few.
    groups: Vec<u16>,
    /// Where the groups of each panel end.
    ends: Vec<usize>,
    are_few: bool,
}

impl LargeGroups {
    /// Looks at all weights of a product.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn find(shape: Shape, weights: &[u8]) -> Self {
        let mut groups = Vec::new();
        let mut ends = Vec::with_capacity(shape.panels());
        for panel in weights.chunks_exact(shape.groups() * LINE) {
            for (group, line) in panel.chunks_exact(LINE).take(shape.used_groups()).enumerate() {
                // SAFETY: a line of weights.
                if unsafe { is_large(line.as_ptr()) } {
                    // At most 2^14 groups: see the largest number of inputs.
                    groups.push(group as u16);
                }
            }
            ends.push(groups.len());
        }
        let are_few = groups.len() * FEWEST_PER_LARGE <= shape.panels() * shape.used_groups();
        if !are_few {
            groups = Vec::new();
            ends = Vec::new();
        }
        Self { groups, ends, are_few }
    }

    /// Whether products of bytes are faster than those of 16 bits.
    pub(super) fn are_few(&self) -> bool {
        self.are_few
    }

    /// The large groups of a panel, if they are few.
    pub(super) fn of(&self, panel: usize) -> &[u16] {
        let start = if panel == 0 { 0 } else { self.ends[panel - 1] };
        &self.groups[start..self.ends[panel]]
    }
}

/// Whether the products of two neighbors with some bytes add up to more than 16 bits, anywhere in a line.
///
/// # Safety
/// The processor has AVX2; there are 64 weights.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn is_large(line: *const u8) -> bool {
    // SAFETY: as the caller promises.
    let halves = unsafe { [_mm256_loadu_si256(line.cast()), _mm256_loadu_si256(line.add(LINE / 2).cast())] };
    let largest = _mm256_max_epi16(largest_sums(halves[0]), largest_sums(halves[1]));
    _mm256_movemask_epi8(_mm256_cmpgt_epi16(largest, _mm256_set1_epi16(LARGEST_SUM))) != 0
}

/// For each pair of neighbors, the size of the sum of its positive weights or of its negative ones, whichever is larger.
#[inline]
#[target_feature(enable = "avx2")]
fn largest_sums(weights: __m256i) -> __m256i {
    let sizes = _mm256_abs_epi8(weights);
    let ones = _mm256_set1_epi8(1);
    let negative = _mm256_cmpgt_epi8(_mm256_setzero_si256(), weights);
    let below = _mm256_maddubs_epi16(_mm256_and_si256(negative, sizes), ones);
    let above = _mm256_maddubs_epi16(_mm256_andnot_si256(negative, sizes), ones);
    _mm256_max_epi16(below, above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Level;
    use crate::levels::usable_levels;

    /// The large groups of a product with one output: groups of four weights.
    fn groups(weights: &[[i8; 4]]) -> Option<Vec<u16>> {
        let shape = Shape::new(weights.len() * 4, 1).expect("a small product");
        let mut bytes = vec![0; shape.weight_bytes()];
        for (line, weights) in bytes.chunks_exact_mut(LINE).zip(weights) {
            line.iter_mut().zip(weights).for_each(|(byte, weight)| *byte = *weight as u8);
        }
        // SAFETY: only called where AVX2 is usable.
        let found = unsafe { LargeGroups::find(shape, &bytes) };
        found.are_few().then(|| found.of(0).to_vec())
    }

    fn has_avx2() -> bool {
        usable_levels().iter().any(|level| level.get() == Level::Avx2)
    }

    #[test]
    fn only_pairs_of_the_same_sign_that_may_not_fit_are_large() {
        if !has_avx2() {
            return;
        }
        let small = [[127, 1, -127, -1], [-128, 127, 127, -127], [64, 64, -64, -64], [0, 127, 127, 0]];
        assert_eq!(groups(&small), Some(vec![]));
        for large in [[127, 2, 0, 0], [0, 0, -127, -2], [65, 64, 0, 0], [0, 0, -128, -1]] {
            assert_eq!(groups(&[small[0], large, small[1], small[2]]), Some(vec![1]), "{large:?}");
        }
    }

    #[test]
    fn many_large_groups_are_not_listed() {
        if !has_avx2() {
            return;
        }
        let (small, large) = ([1; 4], [127; 4]);
        assert_eq!(groups(&[small, large, small]), Some(vec![1]));
        assert_eq!(groups(&[small, large, large]), None);
    }
}
