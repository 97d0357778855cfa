//! Whisper's rules for timestamps: which tokens may come next.

use std::ops::Range;

use auris_kernels::argmax;

use super::rules::WhisperRules;

/// The first word begins within one second, because segments begin with speech: fifty timestamps.
const LATEST_BEGIN: u32 = 50;

/// Forbids the tokens that may not follow `chosen`. If a timestamp is more probable than any word, forbids all words.
/// `speech_end` is where the speech of the window ends, in seconds: nothing can follow a segment that reaches it. Without
/// this rule, Whisper tiny wrote the sentence again in 16 of 137 short clips.
pub(super) fn constrain(scores: &mut [f32], chosen: &[u32], speech_end: f64, rules: &WhisperRules) {
    let zero = rules.tokens.first_timestamp;
    rules.unspoken.iter().for_each(|token| forbid(scores, *token..*token + 1));
    forbid(scores, rules.tokens.start..zero);
    match chosen {
        [] => {
            forbid(scores, 0..zero);
            forbid(scores, zero + LATEST_BEGIN + 1..u32::MAX);
        }
        [.., before, last] if rules.is_timestamp(*last) && rules.is_timestamp(*before) => {
            forbid(scores, zero..u32::MAX);
            if rules.seconds(*last) >= speech_end {
                forbid(scores, 0..rules.tokens.end);
            }
        }
        [only] if rules.is_timestamp(*only) => {
            forbid(scores, zero..u32::MAX);
            forbid(scores, rules.blank..rules.blank + 1);
        }
        [.., last] if rules.is_timestamp(*last) => forbid(scores, 0..rules.tokens.end),
        _ => {}
    }
    forbid_past(scores, chosen, rules);
    if timestamps_outweigh_words(scores, zero) {
        forbid(scores, 0..zero);
    }
}

fn forbid(scores: &mut [f32], tokens: Range<u32>) {
    let end = scores.len().min(tokens.end as usize);
    if let Some(scores) = scores.get_mut(tokens.start as usize..end) {
        scores.fill(f32::NEG_INFINITY);
    }
}

/// Forbids timestamps before the last one, and the same one if it would close an empty segment.
fn forbid_past(scores: &mut [f32], chosen: &[u32], rules: &WhisperRules) {
    let Some(last) = chosen.iter().rev().find(|token| rules.is_timestamp(**token)) else { return };
    let closes = chosen.last().is_some_and(|token| rules.is_timestamp(*token));
    forbid(scores, rules.tokens.first_timestamp..if closes { *last } else { *last + 1 });
}

fn timestamps_outweigh_words(scores: &[f32], zero: u32) -> bool {
    let Some((words, times)) = scores.split_at_checked(zero as usize) else { return false };
    let top = |scores: &[f32]| scores.get(argmax(scores)).copied().unwrap_or(f32::NEG_INFINITY);
    let best_word = top(words);
    let best_time = top(times);
    if best_time == f32::NEG_INFINITY {
        return false;
    }
    let sum: f32 = times.iter().map(|score| (score - best_time).exp()).sum();
    best_time + sum.ln() > best_word
}
