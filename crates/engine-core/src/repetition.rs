//! Repetition loops in the output of a decoder.

/// The length of the longest end of `tokens` that repeats every `period` tokens; 0 if there are fewer than `period`.
pub fn periodic_tail(tokens: &[u32], period: usize) -> usize {
    if tokens.len() < period {
        return 0;
    }
    let later = tokens.iter().rev();
    let earlier = tokens.iter().rev().skip(period);
    period + later.zip(earlier).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_periodic_end_is_measured() {
        assert_eq!(periodic_tail(&[1, 7, 8, 7, 8, 7], 2), 5);
        assert_eq!(periodic_tail(&[1, 2, 3], 1), 1);
        assert_eq!(periodic_tail(&[1], 2), 0);
    }
}
