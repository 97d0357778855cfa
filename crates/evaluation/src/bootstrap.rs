//! How much a figure depends on which recordings were chosen: they are drawn again and again, with replacement.

use crate::quantiles::quantile;

/// Draws; more of them change the bounds by less than a tenth of their distance.
const DRAWS: usize = 1000;

/// Where 95 % of the ratios of sums are, if the pairs are drawn with replacement; `None` without pairs. The draws are the
/// same in every run.
pub(crate) fn interval(pairs: &[(f64, f64)]) -> Option<(f64, f64)> {
    let mut random = SplitMix(1);
    let mut ratios: Vec<f64> = (0..DRAWS).filter_map(|_| ratio(pairs, &mut random)).collect();
    Some((quantile(&mut ratios, 0.025)?, quantile(&mut ratios, 0.975)?))
}

fn ratio(pairs: &[(f64, f64)], random: &mut SplitMix) -> Option<f64> {
    let mut sum = 0.0;
    let mut of = 0.0;
    for _ in pairs {
        let (one, other) = pairs[random.below(pairs.len())];
        sum += one;
        of += other;
    }
    (of > 0.0).then_some(sum / of)
}

/// The generator SplitMix64.
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(value ^ (value >> 31)) * limit as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_contains_the_ratio_and_shrinks_with_more_recordings() {
        let pairs = |count: usize| -> Vec<(f64, f64)> {
            (0..count).map(|nth| (f64::from(u8::from(nth % 10 == 0)), 1.0)).collect()
        };
        let few = interval(&pairs(50)).unwrap();
        let many = interval(&pairs(5000)).unwrap();
        assert!(few.0 < 0.1 && few.1 > 0.1 && many.0 < 0.1 && many.1 > 0.1, "{few:?} {many:?}");
        // Normal approximation: 0.1 ± 1.96 × sqrt(0.09 / 5000).
        assert!((many.1 - many.0 - 2.0 * 1.96 * (0.09f64 / 5000.0).sqrt()).abs() < 0.002, "{many:?}");
        assert!(few.1 - few.0 > 5.0 * (many.1 - many.0));
    }

    #[test]
    fn equal_figures_have_no_spread() {
        assert_eq!(interval(&[(0.5, 1.0); 8]), Some((0.5, 0.5)));
        assert_eq!(interval(&[]), None);
        assert_eq!(interval(&[(1.0, 0.0)]), None);
    }
}
