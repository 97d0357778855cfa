//! Years: fiscal ones, those after a shorter period, and plain numbers by the words around them.

use super::date_line::Line;
use crate::spoken::{is_calendar_word, is_number_word};
use crate::stop_words::is_stop_word;
use crate::words::Kind;

/// Words between the kind of a year and its number.
pub(super) const YEAR_KINDS: [&str; 3] = ["fiscal", "calendar", "full"];
/// Words before the number of a year.
const BEFORE_YEARS: [&str; 27] = [
    "after", "at", "before", "between", "beyond", "by", "due", "during", "early", "entering", "exiting",
    "for", "from", "hit", "in", "into", "late", "mid", "of", "over", "say", "since", "than", "through", "to",
    "until", "versus",
];
/// Words before a number that is not a year.
const BEFORE_NUMBERS: [&str; 18] = [
    "code",
    "cost",
    "costs",
    "extension",
    "flight",
    "highway",
    "least",
    "model",
    "no",
    "number",
    "order",
    "page",
    "room",
    "route",
    "slide",
    "suite",
    "than",
    "version",
];
/// Nouns that a number counts, without the `s` of the plural.
const COUNTED: [&str; 5] = ["hundred", "men", "million", "people", "women"];

impl Line<'_> {
    /// `fiscal 2020`, `fiscal year '20`, `full year 2020`, `full year, 2020`, `FY20`, `fiscal Q3`, `fiscal third quarter`.
    pub(super) fn fiscal_year(&self, at: usize) -> Option<usize> {
        let word = self.word(at);
        if word.strip_prefix("fy").is_some_and(|rest| is_short_year(rest) || is_year(rest)) {
            return Some(at + 1);
        }
        if !YEAR_KINDS.contains(&word) && word != "fy" {
            return None;
        }
        let has_year = self.word(at + 1) == "year";
        let next = at + 1 + usize::from(has_year);
        // `A full 20 minutes` has no year.
        let has_number = is_year(self.word(next)) || is_short_year(self.word(next)) && word != "full";
        has_number
            .then_some(next + 1)
            .or_else(|| self.apostrophe_year(next))
            .or_else(|| {
                (has_year && self.word(next) == "," && is_year(self.word(next + 1))).then_some(next + 2)
            })
            .or_else(|| self.fiscal_quarter(at))
            .or_else(|| (has_year && word != "full").then_some(next))
    }

    /// `fiscal Q3`, `fiscal third quarter`.
    fn fiscal_quarter(&self, at: usize) -> Option<usize> {
        if self.word(at) != "fiscal" {
            return None;
        }
        let is_quarter = matches!(self.word(at + 2), "half" | "quarter");
        self.quarter_sign(at + 1).or_else(|| self.period(at + 1).filter(|_| is_quarter))
    }

    /// The end of a year or of a longer period after a period: `2020`, `, 2020`, `of fiscal 2020`, `last year`, `of April`,
    /// `of the third quarter`.
    pub(super) fn of_year(&self, at: usize) -> Option<usize> {
        let has_link = matches!(self.word(at), "of" | ",");
        let next = at + usize::from(has_link);
        let next = next + usize::from(has_link && self.word(next) == "the");
        if is_year(self.word(next)) {
            return Some(next + 1);
        }
        let is_near = matches!(self.word(at), "last" | "next" | "this") && self.word(at + 1) == "year";
        self.apostrophe_year(next)
            .filter(|_| self.word(at) != ",")
            .or_else(|| self.fiscal_year(next))
            .or_else(|| is_near.then_some(at + 2))
            .or_else(|| if self.word(at) == "of" { self.whole(next) } else { None })
    }

    /// What a period is a part of: `April`, `Q3`, `the quarter`, `last year`, `21`.
    fn whole(&self, at: usize) -> Option<usize> {
        let word = self.word(at);
        // Recognizers also write `the second quarter of 21`, and cut years.
        let is_cut = word.len() == 3 && (word.starts_with("19") || word.starts_with("20")) && word != "200";
        let is_number = self.is_digits(at) && (is_near_short_year(word) || is_cut) && self.is_end(at + 1);
        if is_month(word) || is_number {
            return Some(at + 1);
        }
        let is_which =
            matches!(word, "each" | "last" | "next" | "previous" | "prior" | "same" | "that" | "this");
        let unit = at + usize::from(is_which);
        let is_unit = self.word(unit) == "year"
            || (is_which || self.before(at) == "the")
                && matches!(self.word(unit), "decade" | "month" | "quarter" | "week");
        self.quarter_sign(at).or_else(|| self.period(at)).or_else(|| is_unit.then_some(unit + 1))
    }

    /// A year by itself: `2021`, `'21`, `the 1990s`.
    pub(super) fn year(&self, at: usize) -> Option<usize> {
        let is_decade = |end: usize| self.word(end - 1).ends_with('0') && self.is_plural_sign(end);
        if let Some(end) = self.apostrophe_year(at) {
            return Some(end + usize::from(is_decade(end)));
        }
        if !is_year(self.word(at)) {
            return None;
        }
        let ends = self.0.get(at + 1).is_none_or(|next| next.kind == Kind::Sign && !next.is("$"))
            || is_stop_word(self.word(at + 1));
        let is_date =
            ends && self.follows_preposition(at) || self.follows_determiner(at) || self.counts_nothing(at);
        if is_decade(at + 1) { Some(at + 2) } else { is_date.then_some(at + 1) }
    }

    /// The `s` of `1990s`.
    fn is_plural_sign(&self, at: usize) -> bool {
        self.word(at) == "s" && self.touches(at)
    }

    /// `'21`. A quoted text such as `'20 people came'` has a second sign.
    fn apostrophe_year(&self, at: usize) -> Option<usize> {
        let is_year = self.is_apostrophe(at) && !self.touches(at) && is_short_year(self.word(at + 1));
        let is_quote = || (at + 2..self.0.len()).any(|next| self.is_apostrophe(next) && self.touches(next));
        let is_measured =
            || is_number_word(self.word(at + 2)) || matches!(self.word(at + 2), "%" | "percent");
        (is_year && !is_quote() && !is_measured()).then_some(at + 2)
    }

    /// Whether a year of our time belongs to the noun after it, as in `our 2021 budget`. `The 2000 people` has a number.
    fn follows_determiner(&self, at: usize) -> bool {
        let has_noun = self.0.get(at + 1).is_some_and(|next| next.kind == Kind::Word);
        let is_determiner = matches!(self.before(at), "our" | "the" | "that" | "its" | "their" | "your");
        has_noun && is_near_year(self.word(at)) && is_determiner
    }

    /// Whether a number is a year of our time because it neither counts nor numbers anything, as in `a 2015 baseline` and
    /// `we enter 2021`.
    fn counts_nothing(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.0.get(before));
        let is_part = before.is_some_and(|before| match before.kind {
            Kind::Digits => true,
            Kind::Sign => matches!(before.lower.as_str(), "$" | "€" | "£" | "#") || self.touches(at),
            // `NextSeq 2020`, but not `In 2020`.
            Kind::Word => at > 1 && before.capital || BEFORE_NUMBERS.contains(&before.lower.as_str()),
        });
        let next = self.word(at + 1);
        let is_counted = self.0.get(at + 1).is_some_and(|token| match token.kind {
            Kind::Digits => true,
            Kind::Sign => matches!(next, "%" | "-" | ":" | "/" | "$"),
            Kind::Word => COUNTED.contains(&next) || next.ends_with('s') && !is_stop_word(next),
        });
        is_near_year(self.word(at)) && !is_part && !is_counted
    }

    /// Whether a year follows a preposition, perhaps with other years in between.
    fn follows_preposition(&self, at: usize) -> bool {
        let mut first = at;
        while first >= 2 && self.is_list_link(first - 1) {
            let before_link = first - 2;
            let has_comma = before_link >= 1 && self.word(before_link) == ",";
            let other = before_link - usize::from(has_comma);
            if !is_year(self.word(other)) {
                break;
            }
            first = other;
        }
        first > 0 && BEFORE_YEARS.contains(&self.before(first))
    }

    fn is_list_link(&self, at: usize) -> bool {
        matches!(self.word(at), "and" | "or" | ",")
    }
}

pub(super) fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse().is_ok_and(|year: u16| (1900..2100).contains(&year))
}

/// The last two digits of a year.
pub(super) fn is_short_year(word: &str) -> bool {
    word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The last two digits of a year of our time.
pub(super) fn is_near_short_year(word: &str) -> bool {
    is_short_year(word) && word.parse().is_ok_and(|year: u16| (10..50).contains(&year))
}

pub(super) fn is_month(word: &str) -> bool {
    matches!(word, "may" | "march" | "august") || is_calendar_word(word)
}

/// Whether a number is mostly a year of our time.
fn is_near_year(word: &str) -> bool {
    word.len() == 4 && word.parse().is_ok_and(|year: u16| (2001..2050).contains(&year))
}
