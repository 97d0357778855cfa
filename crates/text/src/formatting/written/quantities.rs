//! Amounts with a unit: `5 km`, `12%`, `$3 million`.

use super::amounts::Amount;
use super::runs::Run;
use super::{Reading, suffixes};
use crate::spoken::SpokenLine;

pub(super) fn find(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    let amount = Amount::of(line, run)?;
    with_suffix(line, &amount)
}

pub(super) fn with_suffix(line: SpokenLine<'_>, amount: &Amount) -> Option<Reading> {
    let (suffix, end) = suffixes::read(line, amount.tokens.end)?;
    if amount.is_only_mixed() && !suffix.accepts_mixed() || suffix.is_ambiguous(line, amount, end) {
        return Some(Reading::Words(suffixes::end_of_next(line, end)));
    }
    if !amount.spoken && !suffix.also_after_digits() {
        return Some(Reading::Words(end));
    }
    Reading::written(amount.tokens.start..end, suffix.after(amount))
}
