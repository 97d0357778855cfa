//! Years and decades: `1999`, `2008`, the `1980s`.

use super::Reading;
use super::context;
use super::runs::Run;
use super::suffixes;
use super::unannounced_years::{self, is_ages};
use crate::spoken::{Numeral, SpokenLine, is_number_word};

/// Words that are followed by a year.
const BEFORE_YEARS: [&str; 20] = [
    "in", "since", "by", "until", "year", "from", "before", "after", "during", "summer", "spring", "fall",
    "winter", "autumn", "of", "early", "late", "mid", "circa", "fiscal",
];
/// The plural words of decades.
const DECADES: [(&str, u64); 10] = [
    ("hundreds", 0),
    ("tens", 10),
    ("twenties", 20),
    ("thirties", 30),
    ("forties", 40),
    ("fifties", 50),
    ("sixties", 60),
    ("seventies", 70),
    ("eighties", 80),
    ("nineties", 90),
];

/// The year of `nineteen ninety nine`, `nineteen oh five`, `two thousand eight` or `nineteen hundred`.
fn year_of(numbers: &[Numeral]) -> Option<u64> {
    let (first, rest) = numbers.split_first().filter(|(first, _)| first.is_whole() && first.spoken)?;
    match rest {
        [] => Some(first.value).filter(|year| (1100..2100).contains(year)),
        [one]
            if first.value >= 10 && first.value <= 20 && one.is_whole() && (10..100).contains(&one.value) =>
        {
            Some(first.value * 100 + one.value)
        }
        [oh, one] if (16..21).contains(&first.value) && oh.value == 0 && (1..10).contains(&one.value) => {
            one.is_whole().then_some(first.value * 100 + one.value)
        }
        _ => None,
    }
}

/// A year in a date. `june twelve fifteen` is not one.
pub(super) fn calendar_year(numbers: &[Numeral]) -> Option<u64> {
    year_of(numbers).filter(|year| *year >= 1600 || numbers.len() == 1)
}

/// A year or a decade without a month.
pub(super) fn find(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    if let Some(decade) = decade(line, run) {
        return Some(decade);
    }
    let tokens = run.tokens.clone();
    let year = year_of(&run.numbers).filter(|_| run.whole)?;
    if suffixes::read(line, tokens.end).is_some() {
        return None;
    }
    if is_unclear_hundred(line, run, year) {
        return Some(Reading::Words(tokens.end));
    }
    if !is_announced(line, run, year) && !is_year_of_people(line, run, year) {
        return unannounced_years::find(line, run, year);
    }
    // `in twenty twenty five people came`: 2020 or 2025?
    if context::counts(line, tokens.end) {
        return Some(Reading::Words(tokens.end));
    }
    Reading::written(tokens, year.to_string())
}

/// `nineteen hundred and five` may be a year or a count, and `seventeen hundred hours` a time or a duration.
fn is_unclear_hundred(line: SpokenLine<'_>, run: &Run, year: u64) -> bool {
    let end = run.tokens.end;
    let by_hundreds = run.numbers.len() == 1 && line.word(run.tokens.start + 1) == "hundred";
    let bare = !year.is_multiple_of(100) && context::is_open(line, end);
    let announced = BEFORE_YEARS.contains(&line.before(run.tokens.start));
    by_hundreds && (line.word(end) == "hours" || bare && !announced)
}

/// `in two thousand people came` may be 2,000 people, or a year.
fn is_year_of_people(line: SpokenLine<'_>, run: &Run, year: u64) -> bool {
    year == 2000 && line.before(run.tokens.start) == "in" && context::counts(line, run.tokens.end)
}

/// Whether a word before shows that this is a year.
fn is_announced(line: SpokenLine<'_>, run: &Run, year: u64) -> bool {
    let before = line.before(run.tokens.start);
    let announced = BEFORE_YEARS.contains(&before) || follows_year(line, run.tokens.start);
    let open = context::is_open(line, run.tokens.end);
    match run.numbers.as_slice() {
        // `two thousand` is a count, unless it is announced and nothing follows.
        [_] if announced && (before != "of" || !year.is_multiple_of(100)) => {
            open || !year.is_multiple_of(100)
        }
        // `a boy of sixteen seventeen`.
        [first, last] if is_ages(first.value, last.value) => {
            announced && !matches!(before, "of" | "from" | "by" | "before" | "after" | "to" | "or" | "and")
        }
        [first, _, ..] => match first.value {
            16..=20 => announced,
            _ => (announced && before == "year") || before == "in" && !year.is_multiple_of(5) && open,
        },
        [_] | [] => false,
    }
}

/// Whether the run is the second year of `from nineteen ninety to two thousand`.
fn follows_year(line: SpokenLine<'_>, start: usize) -> bool {
    if !matches!(line.before(start), "to" | "and" | "through" | "or") {
        return false;
    }
    let number = |at: &usize| is_number_word(line.word(*at)) || matches!(line.word(*at), "oh" | "-" | "and");
    let first = (0..start - 1).rev().take_while(number).last();
    first
        .and_then(|first| Run::read(line, first))
        .is_some_and(|run| run.numbers.len() > 1 && calendar_year(&run.numbers).is_some())
}

/// `nineteen eighties`.
fn decade(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    let at = line.past_hyphen(run.tokens.end);
    let (_, tens) = DECADES.iter().find(|(name, _)| *name == line.word(at))?;
    let century = run.single().filter(|century| century.is_whole() && century.spoken)?.value;
    let announced = matches!(line.before(run.tokens.start), "the" | "early" | "late" | "mid");
    let known = (16..20).contains(&century) || century == 20 && announced;
    let end = at + 1;
    if !known {
        return Some(Reading::Words(end));
    }
    Reading::written(run.tokens.start..end, format!("{}s", century * 100 + tens))
}
