//! The precision of numbers in results.

/// Rounds to three decimals: milliseconds for times in seconds, and the precision of scores and confidences.
pub fn round_to_thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Rounds to two decimals, the precision of estimated scores.
pub fn round_to_hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
