//! Whisper's rules for timestamps: which tokens may come next.

/// Tokens of the multilingual vocabulary.
pub(super) const END: u32 = 50_257;
pub(super) const START: u32 = 50_258;
pub(super) const FIRST_LANGUAGE: u32 = 50_259;
pub(super) const TRANSCRIBE: u32 = 50_359;
pub(super) const PREVIOUS: u32 = 50_361;
pub(super) const NO_SPEECH: u32 = 50_362;
/// The token of 0.00 s; each following token is 0.02 s later.
pub(super) const ZERO: u32 = 50_364;
/// The first word begins within one second, because segments begin with speech.
const LATEST_BEGIN: u32 = ZERO + 50;
const BLANK: u32 = 220;

/// Symbols that nobody speaks: brackets, notes, quotation marks of captions.
const UNSPOKEN: [u32; 82] = [
    1, 2, 7, 8, 9, 10, 14, 25, 26, 27, 28, 29, 31, 58, 59, 60, 61, 62, 63, 90, 91, 92, 93, 359, 503, 522,
    542, 873, 893, 902, 918, 922, 931, 1350, 1853, 1982, 2460, 2627, 3246, 3253, 3268, 3536, 3846, 3961,
    4183, 4667, 6585, 6647, 7273, 9061, 9383, 10428, 10929, 11938, 12033, 12331, 12562, 13793, 14157, 14635,
    15265, 15618, 16553, 16604, 18362, 18956, 20075, 21675, 22520, 26130, 26161, 26435, 28279, 29464, 31650,
    32302, 32470, 36865, 42863, 47425, 49870, 50254,
];

pub(super) fn is_timestamp(token: u32) -> bool {
    token >= ZERO
}

pub(super) fn seconds(timestamp: u32) -> f64 {
    f64::from(timestamp.saturating_sub(ZERO)) * 0.02
}

/// Forbids the tokens that may not follow `chosen`. If a timestamp is more probable than any word, forbids all words.
pub(super) fn constrain(scores: &mut [f32], chosen: &[u32]) {
    forbid(scores, UNSPOKEN);
    forbid(scores, START..ZERO);
    match chosen {
        [] => {
            forbid(scores, 0..ZERO);
            forbid_from(scores, LATEST_BEGIN + 1);
        }
        [.., before, last] if is_timestamp(*last) && is_timestamp(*before) => forbid_from(scores, ZERO),
        [only] if is_timestamp(*only) => {
            forbid_from(scores, ZERO);
            forbid(scores, [BLANK]);
        }
        [.., last] if is_timestamp(*last) => forbid(scores, 0..END),
        _ => {}
    }
    forbid_past(scores, chosen);
    if timestamps_outweigh_words(scores) {
        forbid(scores, 0..ZERO);
    }
}

fn forbid(scores: &mut [f32], tokens: impl IntoIterator<Item = u32>) {
    for token in tokens {
        if let Some(score) = scores.get_mut(token as usize) {
            *score = f32::NEG_INFINITY;
        }
    }
}

fn forbid_from(scores: &mut [f32], first: u32) {
    scores.iter_mut().skip(first as usize).for_each(|score| *score = f32::NEG_INFINITY);
}

/// Forbids timestamps before the last one, and the same one if it would close an empty segment.
fn forbid_past(scores: &mut [f32], chosen: &[u32]) {
    let Some(last) = chosen.iter().rev().find(|token| is_timestamp(**token)) else { return };
    let closes = chosen.last().is_some_and(|token| is_timestamp(*token));
    forbid(scores, ZERO..if closes { *last } else { *last + 1 });
}

fn timestamps_outweigh_words(scores: &[f32]) -> bool {
    let (words, times) = scores.split_at(ZERO as usize);
    let top = |scores: &[f32]| scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let best_word = top(words);
    let best_time = top(times);
    if best_time == f32::NEG_INFINITY {
        return false;
    }
    let sum: f32 = times.iter().map(|score| (score - best_time).exp()).sum();
    best_time + sum.ln() > best_word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(chosen: &[u32]) -> impl Fn(u32) -> bool + use<> {
        let mut scores = vec![0.0; 51_865];
        // Words are more probable than any timestamp, so that only the rules decide.
        scores[..ZERO as usize].fill(50.0);
        constrain(&mut scores, chosen);
        move |token| scores[token as usize] > f32::NEG_INFINITY
    }

    #[test]
    fn a_window_begins_with_an_early_timestamp() {
        let allowed = allowed(&[]);
        assert!(
            allowed(ZERO) && allowed(ZERO + 50) && !allowed(ZERO + 51) && !allowed(1_000) && !allowed(END)
        );
    }

    #[test]
    fn words_follow_an_opening_timestamp_and_only_a_later_one_follows_them() {
        assert!(allowed(&[ZERO])(1_000) && !allowed(&[ZERO])(ZERO + 1));
        let after_words = allowed(&[ZERO + 10, 1_000]);
        assert!(after_words(1_001) && after_words(ZERO + 11) && !after_words(ZERO + 10));
    }

    #[test]
    fn a_closing_timestamp_is_followed_by_an_opening_one_or_the_end() {
        let closed = allowed(&[ZERO, 1_000, ZERO + 40]);
        assert!(closed(ZERO + 40) && closed(END) && !closed(1_000) && !closed(ZERO + 39));
        assert!(allowed(&[ZERO, 1_000, ZERO + 40, ZERO + 40])(1_000));
    }
}
