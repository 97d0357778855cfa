//! From the scores of a query to the weights of keys.

use super::key_values::padded;
use crate::lanes::Lanes;

/// Turns the scores of the first `length` keys into weights, zeros behind them, and returns their sum.
///
/// # Safety
/// The processor has the instructions of the lanes; there are scores of all padded keys.
#[inline(always)]
pub(super) unsafe fn softmax<L: Lanes>(scores: *mut f32, length: usize, scale: f32) -> f32 {
    let keys = padded(length);
    // SAFETY: as the caller promises; keys are padded to an even number of registers.
    unsafe {
        // Padding takes the score of a key, so that it does not change the largest score.
        for key in length..keys {
            *scores.add(key) = *scores;
        }
        let mut maxima = [L::load(scores); 2];
        for at in (0..keys).step_by(2 * L::WIDTH) {
            maxima[0] = maxima[0].max(L::load(scores.add(at)));
            maxima[1] = maxima[1].max(L::load(scores.add(at + L::WIDTH)));
        }
        let largest = maxima[0].max(maxima[1]).largest();
        let to_powers_of_two = scale * std::f32::consts::LOG2_E;
        let factor = L::splat(to_powers_of_two);
        let shift = L::splat(-largest * to_powers_of_two);
        let whole = length / L::WIDTH * L::WIDTH;
        let mut sum = L::splat(0.0);
        for at in (0..whole).step_by(L::WIDTH) {
            let weight = L::load(scores.add(at)).mul_add(factor, shift).exp2();
            sum = sum.add(weight);
            weight.store(scores.add(at));
        }
        for at in (whole..keys).step_by(L::WIDTH) {
            let with_padding = L::load(scores.add(at)).mul_add(factor, shift).exp2();
            let weight = with_padding.first(length.saturating_sub(at));
            sum = sum.add(weight);
            weight.store(scores.add(at));
        }
        sum.sum()
    }
}
