//! Quarters and halves of a year by their signs, numbers and years: `Q2 2020`, `3Q20`, `quarter two`, `2020 third quarter`.

use super::business_dates::{is_ordinal, is_quarter_sign};
use super::business_years::{is_near_short_year, is_short_year, is_year};
use super::date_line::Line;
use crate::stop_words::is_stop_word;
use crate::words::Kind;

/// Words of reports, after the two digits of a year.
const REPORTS: [&str; 5] = ["call", "earnings", "guidance", "results", "sales"];
/// Words before a unit after which a number counts what follows: `this quarter two things`.
const DETERMINERS: [&str; 10] =
    ["a", "the", "this", "that", "each", "every", "per", "last", "next", "previous"];

impl Line<'_> {
    /// A quarter or a half of a year that is not described by a word such as `last`.
    pub(super) fn quarter(&self, at: usize) -> Option<usize> {
        self.quarter_sign(at)
            .or_else(|| self.quarter_digit(at))
            .or_else(|| self.unit_number(at))
            .or_else(|| self.quarter_of_number(at))
    }

    /// `Q2`, `H1`, `Q2 2020`, `Q2 20`, `Q2 of fiscal 2020`.
    pub(super) fn quarter_sign(&self, at: usize) -> Option<usize> {
        if !is_quarter_sign(self.word(at)) {
            return None;
        }
        let has_year = is_near_short_year(self.word(at + 1))
            && (self.is_end(at + 2) || REPORTS.contains(&self.word(at + 2)));
        Some(if has_year { at + 2 } else { self.of_year(at + 1).unwrap_or(at + 1) })
    }

    /// `3Q`, `3Q20`, `1H 2021`. `2h` is two hours.
    fn quarter_digit(&self, at: usize) -> Option<usize> {
        let (letter, year) = self.word(at + 1).split_at_checked(1)?;
        let is_part = match letter {
            "q" => matches!(self.word(at), "1" | "2" | "3" | "4"),
            "h" => matches!(self.word(at), "1" | "2") && self.0.get(at + 1).is_some_and(|half| half.capital),
            _ => false,
        };
        let is_sign = year.is_empty() || is_short_year(year) || is_year(year);
        let end = self.of_year(at + 2).filter(|_| year.is_empty()).unwrap_or(at + 2);
        (is_part && is_sign && self.touches(at + 1)).then_some(end)
    }

    /// `quarter two`, `year one`, but not `this quarter two things`.
    fn unit_number(&self, at: usize) -> Option<usize> {
        let is_unit = matches!(self.word(at), "quarter" | "year");
        let is_number = matches!(self.word(at + 1), "one" | "two" | "three" | "four");
        let is_own = !DETERMINERS.contains(&self.before(at)) && !matches!(self.before(at), "over" | "prior");
        let next = self.0.get(at + 2);
        let is_end = next.is_none_or(|next| next.kind == Kind::Sign || is_stop_word(&next.lower))
            || matches!(self.before(at), "during" | "in" | "of");
        (is_unit && is_number && is_own && is_end).then_some(at + 2)
    }

    /// `2020 third quarter`, `this 2020 third quarter`.
    fn quarter_of_number(&self, at: usize) -> Option<usize> {
        let year = at + usize::from(matches!(self.word(at), "our" | "that" | "this"));
        let is_quarter = is_year(self.word(year))
            && is_ordinal(self.word(year + 1))
            && matches!(self.word(year + 2), "half" | "quarter");
        is_quarter.then_some(year + 3)
    }
}
