//! Dates of business: quarters, fiscal years, halves of a year, and changes from year to year.

#[cfg(test)]
mod tests;

use super::business_years::is_year;
use super::date_line::Line;
use super::found::{Found, span};
use super::kinds::EntityKind;
use crate::spoken::is_calendar_word;
use crate::words::{Kind, Token};

/// Words before a period.
const WHICH: [&str; 20] = [
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
const RHYTHMS: [&str; 5] = ["daily", "monthly", "quarterly", "weekly", "yearly"];
/// Words between the kind of a year and its number.
const YEAR_KINDS: [&str; 3] = ["fiscal", "calendar", "full"];

/// The business dates of a sentence, from left to right.
pub(super) fn find(tokens: &[Token]) -> Vec<Found> {
    let line = Line(tokens);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match line.end_of_date(at) {
            Some(end) => {
                found.push(Found {
                    range: span(tokens, &(at..end)),
                    kind: EntityKind::Date,
                    confidence: 0.9,
                });
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

impl Line<'_> {
    fn end_of_date(&self, at: usize) -> Option<usize> {
        self.quarter_sign(at)
            .or_else(|| self.fiscal_year(at))
            .or_else(|| self.period(at))
            .or_else(|| self.part_of_period(at))
            .or_else(|| self.quarter_number(at))
            .or_else(|| self.change(at))
            .or_else(|| self.rhythm(at))
            .or_else(|| self.length(at))
            .or_else(|| self.part_of_year(at))
            .or_else(|| self.year(at))
    }

    /// `Q2`, `H1`, `Q2 2020`, `Q2 of fiscal 2020`.
    fn quarter_sign(&self, at: usize) -> Option<usize> {
        let is_sign = matches!(self.word(at), "q1" | "q2" | "q3" | "q4" | "h1" | "h2");
        is_sign.then(|| self.of_year(at + 1).unwrap_or(at + 1))
    }

    /// `fiscal 2020`, `fiscal year 2020`, `full year 2020`, `FY20`.
    fn fiscal_year(&self, at: usize) -> Option<usize> {
        let word = self.word(at);
        if word.strip_prefix("fy").is_some_and(|rest| is_short_year(rest) || is_year(rest)) {
            return Some(at + 1);
        }
        if !YEAR_KINDS.contains(&word) && word != "fy" {
            return None;
        }
        let number = if self.word(at + 1) == "year" { at + 2 } else { at + 1 };
        let is_number = is_year(self.word(number)) || is_short_year(self.word(number));
        match (is_number, number == at + 2 && word != "full") {
            (true, _) => Some(number + 1),
            (false, true) => Some(number),
            (false, false) => None,
        }
    }

    /// `third quarter`, `our third quarter`, `first half of the year`, `first nine months of 2020`.
    pub(super) fn period(&self, at: usize) -> Option<usize> {
        let is_own = self.word(at) == "our" && ORDINALS.contains(&self.word(at + 1));
        let at = at + usize::from(is_own);
        if !WHICH.contains(&self.word(at)) {
            return None;
        }
        let last = self.last_which(at);
        let has_kind = YEAR_KINDS.contains(&self.word(last + 1));
        let next = self.end_of_count(last + 1).unwrap_or(last + 1 + usize::from(has_kind));
        if !PERIODS.contains(&self.word(next)) || self.is_vague(at, next) {
            return None;
        }
        let is_part = self.word(next) == "year" && matches!(self.word(next + 1), "period" | "quarter");
        let end = next + 1 + usize::from(is_part);
        Some(self.of_year(end).unwrap_or(end))
    }

    /// The last of the words that say which period is meant: `second` in `first and second quarter`, `prior` in
    /// `comparable prior year`.
    fn last_which(&self, at: usize) -> usize {
        let is_ordinal = |at: usize| ORDINALS.contains(&self.word(at));
        if is_ordinal(at) && matches!(self.word(at + 1), "and" | "or") && is_ordinal(at + 2) {
            at + 2
        } else {
            at + usize::from(WHICH.contains(&self.word(at + 1)))
        }
    }

    /// Whether a period is mostly not a date: `the last half`, `this half`, `the first period`.
    fn is_vague(&self, at: usize, period: usize) -> bool {
        match self.word(period) {
            "half" => !ORDINALS[..2].contains(&self.word(at)),
            "period" => {
                !matches!(self.word(at), "same" | "prior" | "previous" | "corresponding" | "comparable")
            }
            _ => false,
        }
    }

    /// The end of a year or month after a period: `2020`, `of 2020`, `of fiscal 2020`, `of last year`, `of April`.
    pub(super) fn of_year(&self, at: usize) -> Option<usize> {
        let mut next = at + usize::from(matches!(self.word(at), "of" | ","));
        let has_link = next > at;
        next += usize::from(has_link && self.word(next) == "the");
        if is_year(self.word(next)) {
            return Some(next + 1);
        }
        if self.word(at) != "," && matches!(self.word(next), "'" | "’") && is_short_year(self.word(next + 1))
        {
            return Some(next + 2);
        }
        if let Some(end) = self.fiscal_year(next) {
            return Some(end);
        }
        if has_link && self.word(at) == "of" {
            if is_month(self.word(next)) {
                return Some(next + 1);
            }
            let which = matches!(self.word(next), "last" | "this" | "next" | "prior" | "previous" | "same");
            let year = next + usize::from(which);
            return (self.word(year) == "year").then_some(year + 1);
        }
        None
    }

    /// `quarterly`, `year end`, `year-end 2020`.
    fn rhythm(&self, at: usize) -> Option<usize> {
        let last = at + 1 + usize::from(self.word(at + 1) == "-");
        if self.word(at) == "year" && self.word(last) == "end" {
            return Some(self.of_year(last + 1).unwrap_or(last + 1));
        }
        RHYTHMS.contains(&self.word(at)).then_some(at + 1)
    }

    /// `end of 2022`, `year 2022`, `2018 to 2022`.
    fn part_of_year(&self, at: usize) -> Option<usize> {
        let first = match (self.word(at), self.word(at + 1)) {
            ("end" | "beginning" | "start", "of") => at + 2,
            ("year", _) => at + 1,
            (year, "to" | "-") if is_year(year) => at + 2,
            _ => return None,
        };
        is_year(self.word(first)).then_some(first + 1)
    }

    /// `three year` in `a three year plan`, `three or four years`.
    fn length(&self, at: usize) -> Option<usize> {
        let is_digits = |at: usize| self.0.get(at).is_some_and(|token| token.kind == Kind::Digits);
        let is_count = |at: usize| is_small(self.word(at)) && self.word(at) != "few" || is_digits(at);
        if !is_count(at) {
            return None;
        }
        let is_choice = self.word(at + 1) == "or" && is_count(at + 2);
        let period = if is_choice { at + 3 } else { at + 1 };
        let is_one = matches!(self.word(period), "day" | "week" | "month" | "quarter" | "year");
        let are_several = matches!(self.word(period), "days" | "weeks" | "months" | "quarters" | "years");
        (is_one && !is_choice || are_several && is_choice).then_some(period + 1)
    }

    /// `year over year`, `month over month`, `year-to-date`.
    fn change(&self, at: usize) -> Option<usize> {
        let sign = usize::from(self.word(at + 1) == "-");
        let link = at + 1 + sign;
        let last = at + 2 + 2 * sign;
        let period = self.word(at);
        let is_over = matches!(self.word(link), "over" | "on") && self.word(last) == period;
        let is_change = matches!(period, "day" | "week" | "month" | "quarter" | "year")
            && (is_over || (period, self.word(link), self.word(last)) == ("year", "to", "date"))
            && (sign == 0 || self.word(link + 1) == "-");
        is_change.then_some(last + 1)
    }
}

pub(super) fn is_month(word: &str) -> bool {
    matches!(word, "may" | "march" | "august") || is_calendar_word(word)
}

pub(super) fn is_short_year(word: &str) -> bool {
    word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn is_small(word: &str) -> bool {
    matches!(
        word,
        "two" | "three" | "four" | "five" | "six" | "seven" | "eight" | "nine" | "ten" | "twelve" | "few"
    )
}
