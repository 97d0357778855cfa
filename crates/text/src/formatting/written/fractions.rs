//! Fractions: `two thirds` is `2/3`, `three and a half` is `3 1/2`.

use super::Reading;
use super::context;
use super::runs::Run;
use crate::spoken::{Numeral, SpokenLine, small};

/// Words after `three quarters`, which may also be parts of a year.
const AFTER_QUARTERS: [&str; 9] =
    ["of", "full", "empty", "done", "complete", "cup", "cups", "inch", "teaspoon"];

/// A spoken fraction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fraction {
    pub(super) above: u64,
    pub(super) below: u64,
    /// The token after it.
    pub(super) end: usize,
}

/// What follows a whole number.
pub(super) enum AfterWhole {
    Nothing,
    Fraction(Fraction),
    /// A fraction that is not clearly one.
    Unclear,
}

impl Fraction {
    /// The digits after the decimal point, if there are only a few.
    pub(super) fn decimal(&self) -> Option<&'static str> {
        match (self.above, self.below) {
            (1, 2) => Some("5"),
            (1, 4) => Some("25"),
            (3, 4) => Some("75"),
            _ => None,
        }
    }
}

/// The `and a half` after a whole number.
pub(super) fn after_whole(line: SpokenLine<'_>, whole: &Numeral) -> AfterWhole {
    let end = whole.tokens.end;
    if line.word(end) != "and" {
        return AfterWhole::Nothing;
    }
    let fraction = match (line.word(end + 1), line.word(end + 2)) {
        ("a", "half") => Some(Fraction { above: 1, below: 2, end: end + 3 }),
        ("a", "quarter") => Some(Fraction { above: 1, below: 4, end: end + 3 }),
        ("a", "third") if is_after_third(line, end + 3) => {
            Some(Fraction { above: 1, below: 3, end: end + 3 })
        }
        (above, _) => small(above).filter(|above| *above > 0).and_then(|above| parts(line, above, end + 2)),
    };
    let fits = whole.is_whole() && whole.value < 100 && whole.spoken && !whole.vague;
    match fraction {
        Some(fraction) if fits && fraction.above < fraction.below => AfterWhole::Fraction(fraction),
        Some(_) => AfterWhole::Unclear,
        None => AfterWhole::Nothing,
    }
}

/// Whether `a half` or `a quarter` begins at a token.
pub(super) fn is_part(line: SpokenLine<'_>, at: usize) -> bool {
    line.word(at) == "a" && matches!(line.word(at + 1), "half" | "quarter" | "third")
}

/// Whether `two and a third` may end here: not in `two and a third of them` and `two and a third one`.
fn is_after_third(line: SpokenLine<'_>, at: usize) -> bool {
    line.word(at) != "of" && (context::is_open(line, at) || context::counts(line, at))
}

/// `two thirds`.
pub(super) fn find(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    let above = run.single().filter(|numeral| numeral.is_whole() && numeral.spoken)?;
    let fraction = parts(line, above.value, above.tokens.end)?;
    let start = run.tokens.start;
    let fits = above.value < fraction.below && !is_unclear(line, start, &fraction);
    let written = fits.then(|| format!("{}/{}", fraction.above, fraction.below));
    written.map_or(Some(Reading::Words(fraction.end)), |text| Reading::written(start..fraction.end, text))
}

/// The name of the parts, after the number of them.
fn parts(line: SpokenLine<'_>, above: u64, at: usize) -> Option<Fraction> {
    let at = line.past_hyphen(at);
    let below = match (line.word(at), above) {
        ("half", 1) => 2,
        ("third", 1) | ("thirds", 2..) => 3,
        ("quarter" | "fourth", 1) | ("quarters" | "fourths", 2..) => 4,
        ("fifth", 1) | ("fifths", 2..) => 5,
        ("sixth", 1) | ("sixths", 2..) => 6,
        ("seventh", 1) | ("sevenths", 2..) => 7,
        ("eighth", 1) | ("eighths", 2..) => 8,
        ("ninth", 1) | ("ninths", 2..) => 9,
        ("tenth", 1) | ("tenths", 2..) => 10,
        ("twelfth", 1) | ("twelfths", 2..) => 12,
        ("sixteenth", 1) | ("sixteenths", 2..) => 16,
        _ => return None,
    };
    Some(Fraction { above, below, end: at + 1 })
}

/// `one third party` and `the last three quarters` are not fractions.
fn is_unclear(line: SpokenLine<'_>, start: usize, fraction: &Fraction) -> bool {
    let ordinal = fraction.above == 1
        && !context::is_open(line, fraction.end)
        && !AFTER_QUARTERS.contains(&line.word(fraction.end));
    let half = fraction.below == 2 && matches!(line.word(fraction.end), "a" | "an");
    let other =
        fraction.above == 1 && matches!(line.before(start), "another" | "this" | "that" | "every" | "no");
    let quarter = line.word(fraction.end - 1).starts_with("quarter");
    let count = quarter && !AFTER_QUARTERS.contains(&line.word(fraction.end));
    let series = matches!(
        line.before(start),
        "last"
            | "past"
            | "first"
            | "next"
            | "previous"
            | "these"
            | "those"
            | "all"
            | "every"
            | "other"
            | "in"
    );
    ordinal || half || other || count || quarter && series
}
