//! Amounts with a unit: `5 km`, `12%`, `$3 million`.

use super::amounts::Amount;
use super::runs::Run;
use super::{Reading, fractions, suffixes};
use crate::spoken::SpokenLine;

/// Units in the singular, which come after several only before a noun.
const SINGULAR: [&str; 24] = [
    "dollar",
    "euro",
    "pound",
    "meter",
    "metre",
    "kilometer",
    "kilometre",
    "centimeter",
    "millimeter",
    "mile",
    "foot",
    "inch",
    "yard",
    "gram",
    "kilogram",
    "milligram",
    "ton",
    "gallon",
    "liter",
    "watt",
    "volt",
    "amp",
    "degree",
    "gigabyte",
];

pub(super) fn find(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    let amount = Amount::of(line, run)?;
    with_suffix(line, &amount)
}

pub(super) fn with_suffix(line: SpokenLine<'_>, amount: &Amount) -> Option<Reading> {
    let (suffix, end) = suffixes::read(line, amount.tokens.end)?;
    if amount.is_only_mixed() && !suffix.accepts_mixed() || suffix.is_ambiguous(line, amount, end) {
        return Some(Reading::Words(suffixes::end_of_next(line, end)));
    }
    // `three dollars and a half`.
    if line.word(end) == "and" && fractions::is_part(line, end + 1) {
        return Some(Reading::Words(end));
    }
    if !amount.spoken && !suffix.also_after_digits() {
        return Some(Reading::Words(end));
    }
    let article = if is_adjective(line, amount, end) { "a " } else { "" };
    Reading::written(amount.tokens.start..end, format!("{article}{}", suffix.after(amount)))
}

/// `a hundred and ten meter hurdle`: the article belongs to what follows the unit.
fn is_adjective(line: SpokenLine<'_>, amount: &Amount, end: usize) -> bool {
    line.word(amount.tokens.start) == "a" && SINGULAR.contains(&line.before(end))
}
