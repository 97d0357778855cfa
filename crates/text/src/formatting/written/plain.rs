//! Numbers without a unit: digits from ten on, below that only with a fraction.

use super::Reading;
use super::amounts::Amount;
use super::context;
use super::runs::Run;
use crate::spoken::{SpokenLine, is_number_word};

pub(super) fn find(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    let amount = Amount::of(line, run)?;
    if !amount.spoken || amount.vague || is_listed(line, &amount) || may_follow_zero(line, &amount) {
        return None;
    }
    let large =
        amount.value >= 10 || amount.fraction.is_some() || amount.mixed.is_some() || amount.round.is_some();
    large.then(|| amount.alone()).and_then(|text| Reading::written(amount.tokens, text))
}

/// Whether `oh` before the number may be a zero: `oh seventy five`.
fn may_follow_zero(line: SpokenLine<'_>, amount: &Amount) -> bool {
    let zero =
        matches!(line.before(amount.tokens.start), "oh" | "o") && context::is_open(line, amount.tokens.end);
    zero && amount.value < 1_000 && amount.round.is_none()
}

/// Whether a scale at the end of a list belongs to this number too: `twenty, thirty, forty thousand`.
fn is_listed(line: SpokenLine<'_>, amount: &Amount) -> bool {
    let start = amount.tokens.start;
    let listed = start > 1 && line.before(start) == "," && is_number_word(line.word(start - 2));
    if amount.shared_scale && listed {
        return true;
    }
    let mut end = amount.tokens.end;
    while let Some(next) = Run::read(line, end + 1).filter(|_| amount.value < 100 && line.word(end) == ",") {
        end = next.tokens.end;
        if matches!(line.word(end - 1), "hundred" | "thousand" | "million" | "billion") {
            return true;
        }
    }
    false
}
