//! Years without a word that announces them: `nineteen ninety nine`, `the two thousand eight crisis`.

use super::Reading;
use super::context;
use super::prices;
use super::runs::Run;
use crate::spoken::SpokenLine;

/// The last years that are read as such without an announcement.
const RECENT: std::ops::Range<u64> = 2001..2031;
/// Nouns in the plural that have a year before them.
const EVENTS: [&str; 20] = [
    "accords",
    "attacks",
    "bombings",
    "budgets",
    "championships",
    "elections",
    "events",
    "finals",
    "finances",
    "floods",
    "forecasts",
    "games",
    "hearings",
    "midterms",
    "olympics",
    "playoffs",
    "primaries",
    "protests",
    "results",
    "riots",
];
/// Words after `two thousand eight` that it counts, although they are not in the plural.
const COUNTED: [&str; 16] = [
    "page", "word", "seat", "person", "man", "member", "room", "bed", "step", "piece", "point", "strong",
    "year", "day", "odd", "plus",
];
/// Words before a number of things that is not exact.
const APPROXIMATE: [&str; 12] = [
    "about", "around", "roughly", "nearly", "almost", "over", "under", "than", "only", "some", "like",
    "least",
];
/// Words before a noun, which may have a year or a number before it: `our two thousand nineteen results`.
const DETERMINERS: [&str; 14] = [
    "the", "a", "an", "our", "my", "your", "his", "her", "their", "its", "this", "that", "quarter", "fiscal",
];

/// A number that may be a year, or up to where the words stay.
pub(super) fn find(line: SpokenLine<'_>, run: &Run, year: u64) -> Option<Reading> {
    match run.numbers.as_slice() {
        [_] => of_thousands(line, run, year),
        [first, .., last] => match first.value {
            16..=19 if is_ages(first.value, last.value) || is_other(line, run) => words(run),
            16..=19 => year_or_count(line, run, year),
            20 if RECENT.contains(&year) && year < 2030 && year != 2020 && !is_estimate(line, run) => {
                year_or_count(line, run, year)
            }
            _ => None,
        },
        [] => None,
    }
}

fn words(run: &Run) -> Option<Reading> {
    Some(Reading::Words(run.tokens.end))
}

/// In `nineteen ninety nine people came`, the people may be 9 or 99.
fn year_or_count(line: SpokenLine<'_>, run: &Run, year: u64) -> Option<Reading> {
    if context::counts(line, run.tokens.end) && !is_event(line, run) {
        return words(run);
    }
    Reading::written(run.tokens.clone(), year.to_string())
}

/// `eighteen nineteen`, `sixteen eighteen`: an estimate, mostly of an age.
pub(super) fn is_ages(first: u64, second: u64) -> bool {
    second == first + 1 || (first + 1..21).contains(&second)
}

/// `only nineteen ninety nine`, `that'll be eighteen seventy five`, `age sixteen forty`.
fn is_other(line: SpokenLine<'_>, run: &Run) -> bool {
    let before = line.before(run.tokens.start);
    let last = run.numbers.last().map_or(0, |number| number.value);
    // A time or a price, but not in `looking at nineteen eighty four`.
    let measured = before == "at" && last < 60;
    matches!(before, "only" | "just" | "for" | "another" | "be" | "age" | "aged" | "ages")
        || measured
        || prices::is_announced(line, run.tokens.start)
        || line.word(run.tokens.end) == "of"
}

/// `maybe twenty twenty five of us`.
fn is_estimate(line: SpokenLine<'_>, run: &Run) -> bool {
    let before = matches!(
        line.before(run.tokens.start),
        "maybe" | "about" | "like" | "around" | "probably" | "say" | "oh" | "or" | "only" | "for" | "another"
    );
    before || line.word(run.tokens.end) == "of"
}

/// `two thousand eight`. Without anything that it counts it is a year.
fn of_thousands(line: SpokenLine<'_>, run: &Run, year: u64) -> Option<Reading> {
    let (start, end) = (run.tokens.start, run.tokens.end);
    if !RECENT.contains(&year) || line.word(start + 1) != "thousand" {
        return None;
    }
    let counted = context::counts(line, end);
    let determined = DETERMINERS.contains(&line.before(start));
    let approximate = APPROXIMATE.contains(&line.before(start)) || line.word(end) == "of";
    if determined && is_event(line, run) || !counted && !approximate && !COUNTED.contains(&line.word(end)) {
        return Reading::written(run.tokens.clone(), year.to_string());
    }
    if counted && !determined { None } else { words(run) }
}

/// `the nineteen thirty six olympics`.
fn is_event(line: SpokenLine<'_>, run: &Run) -> bool {
    let (start, end) = (run.tokens.start, run.tokens.end);
    DETERMINERS.contains(&line.before(start))
        && [end, end + 1].iter().any(|at| EVENTS.contains(&line.word(*at)))
}
