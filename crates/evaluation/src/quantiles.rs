//! Quantiles of a list of figures.

/// The value below which this share of the figures is, interpolated between two of them; `None` without figures. The
/// figures must be numbers.
pub(crate) fn quantile(figures: &mut [f64], share: f64) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    let position = share.clamp(0.0, 1.0) * figures.len().checked_sub(1)? as f64;
    let below = position.floor() as usize;
    let above = position.ceil() as usize;
    Some(figures[below] + (figures[above] - figures[below]) * position.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_lies_between_two_figures() {
        assert_eq!(quantile(&mut [], 0.5), None);
        assert_eq!(quantile(&mut [3.0], 0.9), Some(3.0));
        assert_eq!(quantile(&mut [4.0, 1.0, 2.0, 3.0], 0.5), Some(2.5));
        assert_eq!(quantile(&mut [0.0, 10.0, 20.0, 30.0, 40.0], 0.9), Some(36.0));
    }
}
