//! Dates of business: quarters, halves and other periods, alone or as parts of longer ones, and changes from year to year.

#[cfg(test)]
mod tests;

use super::business_years::YEAR_KINDS;
use super::date_line::Line;
use super::found::{Found, span};
use super::kinds::EntityKind;
use crate::spoken::{month, ordinal};
use crate::words::Token;

/// Words before a period.
const WHICH: [&str; 24] = [
    "first",
    "second",
    "third",
    "fourth",
    "1st",
    "2nd",
    "3rd",
    "4th",
    "last",
    "next",
    "this",
    "prior",
    "previous",
    "current",
    "same",
    "past",
    "coming",
    "following",
    "corresponding",
    "comparable",
    "trailing",
    "ensuing",
    "subsequent",
    "upcoming",
];
const ORDINALS: [&str; 8] = ["first", "second", "third", "fourth", "1st", "2nd", "3rd", "4th"];
const PERIODS: [&str; 12] = [
    "quarter",
    "quarters",
    "half",
    "semester",
    "trimester",
    "year",
    "years",
    "month",
    "months",
    "week",
    "weeks",
    "period",
];
/// Words for how often something comes back.
const RHYTHMS: [&str; 11] = [
    "annual",
    "annually",
    "biannual",
    "bimonthly",
    "biweekly",
    "daily",
    "monthly",
    "quarterly",
    "semiannual",
    "weekly",
    "yearly",
];

/// The business dates of a sentence, from left to right.
pub(super) fn find(text: &str, tokens: &[Token]) -> Vec<Found> {
    let line = Line(tokens);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match line.end_of_date(at) {
            Some(end) => {
                let range = span(tokens, &(at..end));
                let length = without_possessive(&text[range.clone()]).len();
                let range = range.start..range.start + length;
                found.push(Found { range, kind: EntityKind::Date, confidence: 0.9 });
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

fn without_possessive(date: &str) -> &str {
    ["'s", "’s", "'S", "’S"].iter().find_map(|suffix| date.strip_suffix(suffix)).unwrap_or(date)
}

impl Line<'_> {
    /// The end of the business date that begins here.
    pub(super) fn end_of_date(&self, at: usize) -> Option<usize> {
        self.quarter(at)
            .or_else(|| self.fiscal_year(at))
            .or_else(|| self.period(at))
            .or_else(|| self.part_of_period(at))
            .or_else(|| self.change(at))
            .or_else(|| self.rhythm(at))
            .or_else(|| self.length(at))
            .or_else(|| self.part_of_year(at))
            .or_else(|| self.months(at))
            .or_else(|| self.season(at))
            .or_else(|| self.holiday(at))
            .or_else(|| self.year(at))
            .or_else(|| self.this_period(at))
    }

    /// `third quarter`, `our third quarter`, `first half of the year`, `first nine months of 2020`, `quarter ended June 30`.
    pub(super) fn period(&self, at: usize) -> Option<usize> {
        let is_own = self.word(at) == "our" && is_ordinal(self.word(at + 1));
        let at = at + usize::from(is_own);
        if !WHICH.contains(&self.word(at)) {
            return None;
        }
        let end = self.end_of_unit(self.unit_of_period(at)?);
        let is_to_date = self.word(end) == "to" && self.word(end + 1) == "date";
        let longer = self.ended(end).or_else(|| is_to_date.then_some(end + 2)).or_else(|| self.of_year(end));
        Some(longer.unwrap_or(end))
    }

    /// The unit of a period: `quarter` in `second and third quarter`, `months` in `last nine months`.
    fn unit_of_period(&self, at: usize) -> Option<usize> {
        let last = self.last_which(at);
        let has_kind = YEAR_KINDS.contains(&self.word(last + 1));
        let next = self.end_of_count(last + 1).unwrap_or(last + 1 + usize::from(has_kind));
        let has_hyphen = next > last + 1 && self.word(next) == "-";
        let unit = next + usize::from(has_hyphen);
        (PERIODS.contains(&self.word(unit)) && !self.is_vague(at, unit)).then_some(unit)
    }

    /// The last of the words that say which period is meant: `second` in `first and second quarter`, `prior` in
    /// `comparable prior year`.
    fn last_which(&self, at: usize) -> usize {
        let is_ordinal = |at: usize| is_ordinal(self.word(at));
        if is_ordinal(at) && matches!(self.word(at + 1), "and" | "or") && is_ordinal(at + 2) {
            at + 2
        } else {
            at + usize::from(WHICH.contains(&self.word(at + 1)))
        }
    }

    /// Whether a period is mostly not a date: `the last half`, `this half`, `the first period`. `Trailing 12 month` only
    /// describes the noun after it.
    fn is_vague(&self, at: usize, unit: usize) -> bool {
        let is_trailing = self.word(at) == "trailing";
        match self.word(unit) {
            "half" => !ORDINALS[..2].contains(&self.word(at)),
            "period" => {
                !matches!(self.word(at), "same" | "prior" | "previous" | "corresponding" | "comparable")
            }
            "month" | "quarter" | "week" | "year" => is_trailing && self.word(unit + 1) != "period",
            _ => false,
        }
    }

    /// The end of the unit with the words that belong to it: `year third quarter`, `year period`, `month period`.
    fn end_of_unit(&self, unit: usize) -> usize {
        let (unit_word, next) = (self.word(unit), self.word(unit + 1));
        let is_part = is_ordinal(next) && matches!(self.word(unit + 2), "quarter" | "half");
        match unit_word {
            "year" if is_part => unit + 3,
            "year" if next == "quarter" || is_quarter_sign(next) => unit + 2,
            "month" | "quarter" | "week" | "year" if next == "period" => unit + 2,
            _ => unit + 1,
        }
    }

    /// The end of the last day of a period: `ended June 30th, 2020`.
    pub(super) fn ended(&self, at: usize) -> Option<usize> {
        if !matches!(self.word(at), "ended" | "ending") {
            return None;
        }
        let day = at + 1 + usize::from(matches!(self.word(at + 1), "," | "on"));
        month(self.word(day)).and_then(|_| self.spoken().date_end(day))
    }

    /// `quarterly`, `semi-annual`, `every year`, `year end`, `year-end 2020`, `year-ago quarter`.
    fn rhythm(&self, at: usize) -> Option<usize> {
        let last = at + 1 + usize::from(self.word(at + 1) == "-");
        match (self.word(at), self.word(last)) {
            ("year" | "quarter" | "month", "end") => Some(self.of_year(last + 1).unwrap_or(last + 1)),
            ("every", "day" | "week" | "month" | "quarter" | "year") => Some(at + 2),
            ("year", "ago") if matches!(self.word(last + 1), "period" | "quarter") => Some(last + 2),
            ("semi" | "bi", rhythm) if last == at + 2 && RHYTHMS.contains(&rhythm) => Some(last + 1),
            // `Our fifth annual conference` has a number of its own.
            ("annual", _) if self.follows_ordinal(at) => None,
            (rhythm, _) => RHYTHMS.contains(&rhythm).then_some(at + 1),
        }
    }

    fn follows_ordinal(&self, at: usize) -> bool {
        let ends_here = |first: usize| ordinal(self.spoken(), first).is_some_and(|(_, end, _)| end == at);
        at.checked_sub(1).is_some_and(ends_here) || at.checked_sub(2).is_some_and(ends_here)
    }

    /// `year over year`, `month over month`, `year-to-date`.
    fn change(&self, at: usize) -> Option<usize> {
        let sign = usize::from(self.word(at + 1) == "-");
        let link = at + 1 + sign;
        let last = at + 2 + 2 * sign;
        let period = self.word(at);
        let is_over = matches!(self.word(link), "over" | "on") && self.word(last) == period;
        let is_to_date = matches!(period, "month" | "quarter" | "year")
            && (self.word(link), self.word(last)) == ("to", "date");
        let is_change = matches!(period, "day" | "week" | "month" | "quarter" | "year")
            && (is_over || is_to_date)
            && (sign == 0 || self.word(link + 1) == "-");
        is_change.then_some(last + 1)
    }

    /// `the quarter`, but not `the quarter mile` and `the year of the rat`.
    fn this_period(&self, at: usize) -> Option<usize> {
        let is_period = self.word(at) == "the" && matches!(self.word(at + 1), "month" | "quarter" | "year");
        let ends = self.is_end(at + 2) && self.word(at + 2) != "of" && self.change(at + 1).is_none();
        (is_period && (ends || self.is_possessive(at + 1))).then_some(at + 2)
    }
}

pub(super) fn is_ordinal(word: &str) -> bool {
    ORDINALS.contains(&word)
}

pub(super) fn is_quarter_sign(word: &str) -> bool {
    matches!(word, "q1" | "q2" | "q3" | "q4" | "h1" | "h2")
}

pub(super) fn is_small(word: &str) -> bool {
    matches!(
        word,
        "two" | "three" | "four" | "five" | "six" | "seven" | "eight" | "nine" | "ten" | "twelve" | "few"
    )
}
