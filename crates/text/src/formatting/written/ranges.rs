//! Two numbers that belong together: `five to ten percent`, `nine or ten`, `between two and three million`.

use super::amounts::Amount;
use super::runs::Run;
use super::suffixes::{self, Suffix};
use super::{Reading, ratios};
use crate::spoken::SpokenLine;

/// Words between two numbers of a range or a calculation.
const LINKS: [&str; 10] = ["to", "or", "and", "through", "by", "versus", "plus", "minus", "times", "over"];

/// The two amounts of a range, and the word between them.
struct Pair<'a> {
    from: Amount,
    link: &'a str,
    to: Amount,
}

pub(super) fn find(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    let from = Amount::of(line, run);
    let linked = from.as_ref().map_or(run.tokens.end, |from| from.tokens.end);
    let link = line.word(linked);
    if !LINKS.contains(&link) {
        return ratios::find(line, run);
    }
    let next = Run::read(line, linked + 1)?;
    let between = line.before(run.tokens.start) == "between";
    let (from, to) = match (from, Amount::of(line, &next)) {
        (Some(from), Some(to)) => (from, to),
        // `the last ten twenty and thirty years`.
        _ if run.several().is_some() => {
            return Some(Reading::Words(suffixes::end_of_next(line, run.tokens.end + 1)));
        }
        _ if link == "and" && !between || next.numbers.iter().any(|number| number.ordinal) => return None,
        _ => return Some(Reading::Words(next.tokens.end)),
    };
    if from.mixed.is_some() && link == "and" {
        return None;
    }
    Pair { from, link, to }.read(line, between)
}

/// The end of a third number and its unit: `five to ten or fifteen percent`.
fn end_of_chain(line: SpokenLine<'_>, end: usize) -> Option<usize> {
    let third = Run::read(line, end + 1).filter(|_| matches!(line.word(end), "to" | "or"))?;
    Some(suffixes::read(line, third.tokens.end).map_or(third.tokens.end, |(_, end)| end))
}

impl Pair<'_> {
    /// Writes both amounts, if they belong together.
    fn read(&self, line: SpokenLine<'_>, between: bool) -> Option<Reading> {
        let suffix = suffixes::read(line, self.to.tokens.end);
        let end = suffix.map_or(self.to.tokens.end, |(_, end)| end);
        if let Some(end) = end_of_chain(line, end) {
            return Some(Reading::Words(end));
        }
        if self.shares_scale() || self.shares_tens() {
            return Some(Reading::Words(end));
        }
        match suffix {
            _ if self.link == "and" && !between => None,
            Some((suffix, end)) => Some(self.with_suffix(line, suffix, end)),
            None => Some(self.plain()),
        }
    }

    /// Whether `two to three hundred` may mean 200 to 300.
    fn shares_scale(&self) -> bool {
        self.to.shared_scale && !self.from.shared_scale && self.from.value < 100 && self.from.round.is_none()
    }

    /// Whether `twenty five or six` may mean 25 or 26.
    fn shares_tens(&self) -> bool {
        let one_digit = self.to.value < 10 && self.to.fraction.is_none() && self.to.round.is_none();
        self.link == "or" && one_digit && (20..100).contains(&self.from.value)
    }

    fn words(&self) -> Reading {
        Reading::Words(self.to.tokens.end)
    }

    fn with_suffix(&self, line: SpokenLine<'_>, suffix: Suffix, end: usize) -> Reading {
        let spoken = self.from.spoken || self.to.spoken || suffix.also_after_digits();
        let only_mixed = self.from.is_only_mixed() || self.to.is_only_mixed();
        let unclear = suffix.is_ambiguous(line, &self.to, end) || only_mixed || self.is_falling();
        let written = (spoken && !unclear).then(|| suffix.after_range(&self.from, self.link, &self.to));
        let range = self.from.tokens.start..end;
        written.and_then(|text| Reading::written(range, text)).unwrap_or(Reading::Words(end))
    }

    /// Whether a scale belongs to the second number only: `ten to two million`.
    fn is_falling(&self) -> bool {
        self.to.round.is_some()
            && self.from.round.is_none()
            && (self.to.value..1_000).contains(&self.from.value)
    }

    fn plain(&self) -> Reading {
        let counts =
            |amount: &Amount| amount.value >= 10 || amount.fraction.is_some() || amount.round.is_some();
        let one = self.from.value == 1 && self.link == "or" && !counts(&self.from);
        let spoken = self.from.spoken || self.to.spoken;
        // `twenty to six` may be a time.
        let minutes = matches!(self.from.value, 5 | 10 | 20 | 25) && self.to.value < self.from.value.min(13);
        let time = self.link == "to" && minutes;
        // `a hundred to one shot`.
        let odds = self.from.vague && self.to.value < 10;
        if time || one || odds || !spoken || self.is_falling() || !counts(&self.from) && !counts(&self.to) {
            return self.words();
        }
        let text = format!("{} {} {}", self.from.alone(), self.link, self.to.alone());
        let range = self.from.tokens.start..self.to.tokens.end;
        Reading::written(range, text).unwrap_or_else(|| self.words())
    }
}
