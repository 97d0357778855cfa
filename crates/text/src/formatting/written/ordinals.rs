//! Ordinals: `21st`. Below ten they stay words.

use super::Reading;
use super::context;
use super::runs::Run;
use crate::spoken::{SpokenLine, nth};

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
    let unclear = numeral.value < 10 || duration || part || small_part;
    (!unclear).then(|| nth(numeral.value)).and_then(|text| Reading::written(run.tokens.clone(), text))
}

/// Whether the run is an ordinal.
pub(super) fn is_ordinal(run: &Run) -> bool {
    run.numbers.first().is_some_and(|numeral| numeral.ordinal)
}
