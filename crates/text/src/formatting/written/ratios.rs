//! Shares of a whole: `1 in 10`, `9 out of 10`.

use super::Reading;
use super::runs::Run;
use super::suffixes;
use crate::spoken::{Numeral, SpokenLine, grouped};

/// Words before `one in ten`, by which `one` is not a pronoun as in `that one in ten years`.
const BEFORE: [&str; 26] = [
    "", "a", "about", "affects", "almost", "and", "are", "around", "at", "barely", "but", "by", "fewer",
    "just", "least", "nearly", "now", "only", "or", "roughly", "says", "so", "than", "to", "was", "is",
];
/// What comes after a time, not among a number of things: `one in ten minutes`.
const TIMES: [&str; 16] = [
    "second",
    "seconds",
    "minute",
    "minutes",
    "hour",
    "hours",
    "day",
    "days",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "decades",
    "centuries",
];

/// Two numbers with `in` or `out of` between, both in digits, or none.
pub(super) fn find(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    let (link, at) = match (line.word(run.tokens.end), line.word(run.tokens.end + 1)) {
        ("in", _) => ("in", run.tokens.end + 1),
        ("out", "of") => ("out of", run.tokens.end + 2),
        _ => return None,
    };
    let next = Run::read(line, at)?;
    let (part, whole) = (count(run)?, count(&next)?);
    let end = next.tokens.end;
    let free = link == "out of" || BEFORE.contains(&line.before(run.tokens.start)) && !is_year(whole);
    if !free
        || part.value >= whole.value
        || TIMES.contains(&line.word(end))
        || suffixes::read(line, end).is_some()
    {
        return None;
    }
    // `one in a million`.
    if whole.vague && part.value < 10 || whole.value < 10 {
        return Some(Reading::Words(end));
    }
    Reading::written(
        run.tokens.start..end,
        format!("{} {link} {}", grouped(part.value), grouped(whole.value)),
    )
}

/// The only number of a run, if it is a count.
fn count(run: &Run) -> Option<&Numeral> {
    run.single().filter(|numeral| numeral.is_whole() && numeral.spoken && numeral.round.is_none())
}

/// `one in two thousand` may be a year.
fn is_year(whole: &Numeral) -> bool {
    (1900..2100).contains(&whole.value)
}
