//! Against invention: loops are cut, and what a net says about nothing is dropped.

/// A phrase of up to so many tokens that comes again and again is a loop.
const LONGEST_PHRASE: usize = 16;
/// So many times in a row, and at least so many tokens in all.
const REPEATS: usize = 4;
const LOOP_TOKENS: usize = 12;

/// Where a loop at the end of `tokens` began to repeat itself: keep that many.
pub(crate) fn loop_start(tokens: &[u32]) -> Option<usize> {
    (1..=LONGEST_PHRASE).find_map(|length| {
        let repeats = repeats_at_end(tokens, length);
        (repeats >= REPEATS && repeats * length >= LOOP_TOKENS).then(|| tokens.len() - (repeats - 1) * length)
    })
}

fn repeats_at_end(tokens: &[u32], length: usize) -> usize {
    let phrases = tokens.rchunks_exact(length);
    let mut phrases = phrases.clone().zip(phrases.skip(1));
    match tokens.len() >= length {
        true => 1 + phrases.by_ref().take_while(|(later, earlier)| later == earlier).count(),
        false => 0,
    }
}

/// Whether `next` would complete three tokens that were already said in this order.
pub(crate) fn repeats_a_triple(tokens: &[u32], next: u32) -> bool {
    let [.., first, second] = tokens else { return false };
    tokens.windows(3).any(|triple| triple == [*first, *second, next])
}

/// Whether a text says anything: dots, dashes and notes alone do not.
pub(crate) fn says_something(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_that_comes_again_and_again_is_cut_to_one() {
        let mut tokens = vec![1, 2, 3];
        tokens.extend([7, 8, 9].repeat(5));
        assert_eq!(loop_start(&tokens), Some(6));
        assert_eq!(loop_start(&[5; 12]), Some(1));
    }

    #[test]
    fn ordinary_repetition_is_left_alone() {
        assert_eq!(loop_start(&[1, 2, 1, 2, 3]), None);
        assert_eq!(loop_start(&[4, 4, 4]), None);
        assert_eq!(loop_start(&[]), None);
    }

    #[test]
    fn a_triple_said_before_is_known() {
        assert!(repeats_a_triple(&[1, 2, 3, 9, 1, 2], 3));
        assert!(!repeats_a_triple(&[1, 2, 3, 9, 1, 2], 4));
        assert!(!repeats_a_triple(&[1], 1));
    }

    #[test]
    fn punctuation_alone_says_nothing() {
        assert!(!says_something(" ... ♪ -"));
        assert!(says_something("Ja."));
    }
}
