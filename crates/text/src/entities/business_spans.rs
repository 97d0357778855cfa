//! Parts of periods and how many periods: `early next year`, `mid-2021`, `the last couple of quarters`, `quarter two`.

use super::business_dates::{is_month, is_small};
use super::business_years::is_year;
use super::date_line::Line;
use crate::stop_words::is_stop_word;
use crate::words::Kind;

impl Line<'_> {
    /// `early 2021`, `mid-2021`, `late last year`, `early in the fourth quarter`.
    pub(super) fn part_of_period(&self, at: usize) -> Option<usize> {
        if !matches!(self.word(at), "early" | "late" | "mid") {
            return None;
        }
        let next = at + 1 + usize::from(self.word(at + 1) == "-");
        if is_year(self.word(next)) {
            return Some(next + 1);
        }
        if is_month(self.word(next)) {
            return Some(self.of_year(next + 1).unwrap_or(next + 1));
        }
        let is_inside = self.word(next) == "in" && self.word(next + 1) == "the";
        self.period(if is_inside { next + 2 } else { next })
    }

    /// `quarter two`, but not `this quarter two things`.
    pub(super) fn quarter_number(&self, at: usize) -> Option<usize> {
        let is_number = matches!(self.word(at + 1), "one" | "two" | "three" | "four");
        let before = at.checked_sub(1).map_or("", |before| self.word(before));
        let is_own =
            !matches!(before, "a" | "the" | "this" | "that" | "each" | "every" | "per" | "last" | "next");
        let next = self.0.get(at + 2);
        let is_end = next.is_none_or(|next| next.kind == Kind::Sign || is_stop_word(&next.lower));
        (self.word(at) == "quarter" && is_number && is_own && is_end).then_some(at + 2)
    }

    /// The end of a number of periods: `nine`, `12`, `few`, `couple of`, `three to five`.
    pub(super) fn end_of_count(&self, at: usize) -> Option<usize> {
        let is_number = |at: usize| {
            is_small(self.word(at)) || self.0.get(at).is_some_and(|token| token.kind == Kind::Digits)
        };
        match self.word(at) {
            "couple" => Some(at + 1 + usize::from(self.word(at + 1) == "of")),
            "several" => Some(at + 1),
            _ if is_number(at) => {
                let is_range = matches!(self.word(at + 1), "to" | "or" | "-") && is_number(at + 2);
                Some(at + 1 + 2 * usize::from(is_range))
            }
            _ => None,
        }
    }
}
