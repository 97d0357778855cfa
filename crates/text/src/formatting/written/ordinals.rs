//! Ordinals: `21st`. Below ten they stay words.

use super::Reading;
use super::context;
use super::identifiers;
use super::runs::Run;
use crate::spoken::{SpokenLine, month, nth, ordinal};

/// Words that follow an ordinal with `second`, which may also be a duration: `the thirty second clip`.
const AFTER_SECOND: [&str; 21] = [
    "century",
    "amendment",
    "floor",
    "street",
    "avenue",
    "anniversary",
    "birthday",
    "day",
    "president",
    "time",
    "year",
    "annual",
    "week",
    "place",
    "season",
    "edition",
    "congress",
    "district",
    "chapter",
    "infantry",
    "of",
];

/// Days of a list that are looked at.
const LISTED_DAYS: usize = 8;

pub(super) fn find(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    let numeral = run.single().filter(|numeral| numeral.ordinal)?;
    let start = numeral.tokens.start;
    let last = line.word(numeral.tokens.end - 1);
    let after = line.word(numeral.tokens.end);
    let alone = context::is_open(line, numeral.tokens.end) && !matches!(after, "and" | "or" | "to");
    let duration = last == "second" && !AFTER_SECOND.contains(&after) && !alone;
    // `a tenth of a second`, `one hundredth`.
    let part =
        matches!(line.before(start), "a" | "an" | "one") && after != "century" && numeral.tokens.len() == 1;
    let small_part = last.ends_with("dth") && !matches!(line.before(start), "the" | "our" | "its" | "their");
    let listed = is_listed_day(line, numeral.tokens.end);
    // `five hundred fifth avenue` may be number 500.
    let house = numeral.value > 100 && numeral.value % 100 < 10 && identifiers::is_street(after);
    let unclear = numeral.value < 10 || house || duration || part || small_part;
    (listed || !unclear)
        .then(|| nth(numeral.value))
        .and_then(|text| Reading::written(run.tokens.clone(), text))
}

/// The first day of `the fifth and the ninth of june`.
fn is_listed_day(line: SpokenLine<'_>, mut end: usize) -> bool {
    let is_joint = |at: usize| matches!(line.word(at), "and" | "or" | "to" | "through" | ",");
    let mut days = 0;
    while is_joint(end) && days < LISTED_DAYS {
        let start = end + 1 + usize::from(is_joint(end + 1));
        let start = start + usize::from(line.word(start) == "the");
        let Some((_, next, true)) = ordinal(line, start).filter(|(day, ..)| *day < 32) else { return false };
        end = next;
        days += 1;
    }
    days > 0 && line.word(end) == "of" && month(line.word(end + 1)).is_some()
}

/// Whether the run is an ordinal.
pub(super) fn is_ordinal(run: &Run) -> bool {
    run.numbers.first().is_some_and(|numeral| numeral.ordinal)
}
