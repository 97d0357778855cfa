//! Months with a year or other months, seasons of a year, and holidays.

use super::business_years::is_year;
use super::date_line::Line;
use crate::spoken::month;

/// Holidays of one word. `Easter` is also a name in lower case, so they need their capital.
const HOLIDAYS: [&str; 6] = ["christmas", "easter", "halloween", "hanukkah", "ramadan", "thanksgiving"];
/// Holidays of two words.
const LONG_HOLIDAYS: [(&str, &str); 8] = [
    ("black", "friday"),
    ("boxing", "day"),
    ("columbus", "day"),
    ("good", "friday"),
    ("independence", "day"),
    ("labor", "day"),
    ("memorial", "day"),
    ("veterans", "day"),
];

impl Line<'_> {
    /// `June, 2019`, `January's 2020`, `June quarter`, `April to June`, `April, May and June`, `between March and May`.
    pub(super) fn months(&self, at: usize) -> Option<usize> {
        if self.word(at) == "between" {
            return self.between(at);
        }
        if !self.is_month(at) {
            return None;
        }
        let next = at + 1;
        match self.word(next) {
            "," if is_year(self.word(next + 1)) => Some(next + 2),
            year if is_year(year) && self.is_possessive(at) => Some(next + 1),
            "," => self.list(at),
            "quarter" => Some(self.of_year(next + 1).unwrap_or(next + 1)),
            "to" | "through" | "-" if self.is_month(next + 1) && self.word(at) != self.word(next + 1) => {
                Some(self.of_year(next + 2).unwrap_or(next + 2))
            }
            _ => None,
        }
    }

    /// `between 2018 and 2022`, `between March and May`.
    fn between(&self, at: usize) -> Option<usize> {
        let is_end = |at: usize| is_year(self.word(at)) || self.is_month(at);
        (is_end(at + 1) && self.word(at + 2) == "and" && is_end(at + 3)).then_some(at + 4)
    }

    /// Three months or more: `April, May and June`.
    fn list(&self, at: usize) -> Option<usize> {
        let mut last = at;
        while self.word(last + 1) == "," && self.is_month(last + 2) {
            last += 2;
        }
        let link = last + 1 + usize::from(self.word(last + 1) == ",");
        let is_list = last > at && matches!(self.word(link), "and" | "or") && self.is_month(link + 1);
        is_list.then_some(link + 2)
    }

    /// `winter this year`, `spring of 2020`. The seasons by themselves are left to the net.
    pub(super) fn season(&self, at: usize) -> Option<usize> {
        let is_season = matches!(self.word(at), "autumn" | "fall" | "spring" | "summer" | "winter");
        let is_near = matches!(self.word(at + 1), "last" | "next" | "this");
        self.of_year(at + 1).filter(|end| is_season && (is_near || is_year(self.word(end - 1))))
    }

    pub(super) fn holiday(&self, at: usize) -> Option<usize> {
        let has_capital = self.0.get(at).is_some_and(|token| token.capital);
        let is_long = || LONG_HOLIDAYS.contains(&(self.word(at), self.word(at + 1)));
        if !has_capital {
            None
        } else if HOLIDAYS.contains(&self.word(at)) {
            Some(at + 1)
        } else {
            is_long().then_some(at + 2)
        }
    }

    fn is_month(&self, at: usize) -> bool {
        month(self.word(at)).is_some()
    }
}
