//! Parts of periods and how many periods: `early next year`, `mid-2021`, `end of the third quarter`, `couple of quarters`.

use super::business_dates::{is_quarter_sign, is_small};
use super::business_years::{is_month, is_year};
use super::date_line::Line;
use crate::spoken::month;

impl Line<'_> {
    /// `early 2021`, `mid-to-late 2021`, `late last year`, `early in the fourth quarter`, `later this year`.
    pub(super) fn part_of_period(&self, at: usize) -> Option<usize> {
        if matches!(self.word(at), "earlier" | "later") {
            return self.inside(at + 1);
        }
        let next = self.end_of_part(at)?;
        if is_year(self.word(next)) {
            return Some(next + 1);
        }
        if is_month(self.word(next)) {
            return Some(self.of_year(next + 1).unwrap_or(next + 1));
        }
        let is_inside = self.word(next) == "in" && self.word(next + 1) == "the";
        self.quarter_sign(next)
            .or_else(|| self.period(if is_inside { next + 2 } else { next }))
            .or_else(|| if is_inside { self.inside(next) } else { None })
    }

    /// The end of `early`, `mid-` or `mid-to-late`.
    fn end_of_part(&self, at: usize) -> Option<usize> {
        let is_part = |at: usize| matches!(self.word(at), "early" | "late" | "mid");
        let past_hyphen = |at: usize| at + usize::from(self.word(at) == "-");
        if !is_part(at) {
            return None;
        }
        let next = past_hyphen(at + 1);
        let second = past_hyphen(next + 1);
        let is_range = self.word(next) == "to" && is_part(second);
        Some(if is_range { past_hyphen(second + 1) } else { next })
    }

    /// The end of `in the quarter`, `this year`.
    fn inside(&self, at: usize) -> Option<usize> {
        let is_inside = self.word(at) == "in" && matches!(self.word(at + 1), "the" | "this");
        let is_which = matches!(self.word(at), "last" | "next" | "this");
        let unit = if is_inside { at + 2 } else { at + usize::from(is_which) };
        let is_unit = matches!(self.word(unit), "decade" | "month" | "quarter" | "week" | "year");
        (is_unit && unit > at).then_some(unit + 1)
    }

    /// `end of 2022`, `end of the third quarter`, `beginning of July`, `year 2022`, `2018 to 2022`, `latter half of 2020`.
    pub(super) fn part_of_year(&self, at: usize) -> Option<usize> {
        match (self.word(at), self.word(at + 1)) {
            ("beginning" | "close" | "end" | "middle" | "start", "of") => self.whole_of_part(at + 2),
            ("latter", "half") => self.of_year(at + 2),
            ("year", year) if is_year(year) => Some(at + 2),
            ("month" | "months" | "period" | "quarter" | "week" | "weeks" | "year", _) => self.ended(at + 1),
            (year, "to" | "-") if is_year(year) && is_year(self.word(at + 2)) => Some(at + 3),
            _ => None,
        }
    }

    /// What has a beginning and an end: `2022`, `July`, `Q3`, `the quarter`, `this fiscal year`.
    fn whole_of_part(&self, at: usize) -> Option<usize> {
        if is_year(self.word(at)) {
            return Some(at + 1);
        }
        if month(self.word(at)).is_some() {
            return self.spoken().date_end(at);
        }
        let has_article = self.word(at) == "the";
        let unit = at + usize::from(has_article);
        if is_quarter_sign(self.word(unit)) {
            return self.quarter_sign(unit);
        }
        let is_unit = matches!(self.word(unit), "day" | "decade" | "month" | "quarter" | "week" | "year");
        self.period(unit)
            .or_else(|| (has_article && is_unit).then(|| self.ended(unit + 1).unwrap_or(unit + 1)))
    }

    /// The end of a number of periods: `nine`, `12`, `few`, `couple of`, `a number of`, `three to five`, `two and a half`.
    pub(super) fn end_of_count(&self, at: usize) -> Option<usize> {
        let is_of = self.word(at + 1) == "of";
        let is_number = |at: usize| is_small(self.word(at)) || self.is_digits(at);
        match self.word(at) {
            "couple" => Some(at + 1 + usize::from(is_of)),
            "several" | "few" | "many" => Some(at + 1),
            "handful" | "matter" | "number" if is_of && self.before(at) == "a" => Some(at + 2),
            word if (word == "one" || is_number(at)) && self.is_half(at + 1) => Some(at + 4),
            _ if is_number(at) => {
                let is_range = matches!(self.word(at + 1), "to" | "or" | "-") && is_number(at + 2);
                Some(at + 1 + 2 * usize::from(is_range))
            }
            _ => None,
        }
    }

    /// `and a half`
    pub(super) fn is_half(&self, at: usize) -> bool {
        (self.word(at), self.word(at + 1), self.word(at + 2)) == ("and", "a", "half")
    }
}
