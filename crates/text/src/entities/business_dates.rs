//! Dates of business: quarters, fiscal years, halves of a year, and changes from year to year.

use super::found::{Found, span};
use super::kinds::EntityKind;
use crate::stop_words::is_stop_word;
use crate::words::{Kind, Token};

/// Words before a period.
const WHICH: [&str; 17] = [
    "first", "second", "third", "fourth", "1st", "2nd", "3rd", "4th", "last", "next", "this", "prior",
    "previous", "current", "same", "past", "coming",
];
const PERIODS: [&str; 9] =
    ["quarter", "quarters", "half", "semester", "trimester", "year", "years", "month", "months"];
/// Words before the number of a year.
const BEFORE_YEARS: [&str; 20] = [
    "after", "before", "between", "beyond", "by", "during", "early", "for", "from", "in", "into", "late",
    "mid", "of", "over", "since", "than", "through", "to", "until",
];
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

struct Line<'a>(&'a [Token]);

impl Line<'_> {
    fn end_of_date(&self, at: usize) -> Option<usize> {
        self.quarter_sign(at)
            .or_else(|| self.fiscal_year(at))
            .or_else(|| self.period(at))
            .or_else(|| self.change(at))
            .or_else(|| self.year(at))
    }

    fn word(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |token| token.lower.as_str())
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

    /// `third quarter`, `first half of the year`, `first nine months of 2020`.
    fn period(&self, at: usize) -> Option<usize> {
        if !WHICH.contains(&self.word(at)) {
            return None;
        }
        let mut next = at + 1;
        let is_count =
            self.0.get(next).is_some_and(|token| token.kind == Kind::Digits) || is_small(self.word(next));
        next += usize::from(
            is_count || YEAR_KINDS.contains(&self.word(next)) || WHICH.contains(&self.word(next)),
        );
        if !PERIODS.contains(&self.word(next)) {
            return None;
        }
        // `the last half` and `this half` are mostly not dates.
        let is_vague = self.word(next) == "half" && !matches!(self.word(at), "first" | "second");
        (!is_vague).then(|| self.of_year(next + 1).unwrap_or(next + 1))
    }

    /// The end of a year after a period: `2020`, `of 2020`, `of fiscal 2020`, `of last year`, `of the year`.
    fn of_year(&self, at: usize) -> Option<usize> {
        let mut next = at + usize::from(matches!(self.word(at), "of" | ","));
        let has_link = next > at;
        next += usize::from(has_link && self.word(next) == "the");
        if is_year(self.word(next)) {
            return Some(next + 1);
        }
        if let Some(end) = self.fiscal_year(next) {
            return Some(end);
        }
        if has_link && self.word(at) == "of" {
            let which = matches!(self.word(next), "last" | "this" | "next" | "prior" | "previous" | "same");
            let year = next + usize::from(which);
            return (self.word(year) == "year").then_some(year + 1);
        }
        None
    }

    /// `2021` in `until 2021` and in `2020 and 2021`, but not in `of 2000 people`.
    fn year(&self, at: usize) -> Option<usize> {
        let follows = |at: usize| {
            let before = at.checked_sub(1).map_or("", |before| self.word(before));
            BEFORE_YEARS.contains(&before)
        };
        let follows_year = at.checked_sub(2).is_some_and(|first| {
            is_year(self.word(first)) && follows(first) && matches!(self.word(at - 1), "and" | "or" | ",")
        });
        let ends = self.0.get(at + 1).is_none_or(|next| next.kind == Kind::Sign && !next.is("$"))
            || is_stop_word(self.word(at + 1));
        (is_year(self.word(at)) && ends && (follows(at) || follows_year)).then_some(at + 1)
    }

    /// `year over year`, `year-to-date`.
    fn change(&self, at: usize) -> Option<usize> {
        let sign = usize::from(self.word(at + 1) == "-");
        let link = at + 1 + sign;
        let last = at + 2 + 2 * sign;
        let is_change = self.word(at) == "year"
            && matches!((self.word(link), self.word(last)), ("over" | "on", "year") | ("to", "date"))
            && (sign == 0 || self.word(link + 1) == "-");
        is_change.then_some(last + 1)
    }
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse().is_ok_and(|year: u16| (1900..2100).contains(&year))
}

fn is_short_year(word: &str) -> bool {
    word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_small(word: &str) -> bool {
    matches!(
        word,
        "two" | "three" | "four" | "five" | "six" | "seven" | "eight" | "nine" | "ten" | "twelve" | "few"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::tokens;

    fn dates(text: &str) -> Vec<&str> {
        find(&tokens(text, 0..text.len())).into_iter().map(|found| &text[found.range]).collect()
    }

    #[test]
    fn quarters_and_fiscal_years_are_dates() {
        assert_eq!(
            dates("In the third quarter fiscal 2020, and in Q2 of 2021."),
            ["third quarter fiscal 2020", "Q2 of 2021"]
        );
        assert_eq!(
            dates("For fiscal year 2020 and FY21 and full year 2022."),
            ["fiscal year 2020", "FY21", "full year 2022"]
        );
        assert_eq!(
            dates("The first half of the year, the last nine months."),
            ["first half of the year", "last nine months"]
        );
        assert_eq!(dates("Sales grew year over year and year-to-date."), ["year over year", "year-to-date"]);
    }

    #[test]
    fn a_year_follows_a_preposition_and_precedes_no_noun() {
        assert_eq!(dates("We see growth into 2021, and from 2018 and 2019 on."), ["2021", "2018", "2019"]);
        assert!(dates("About 2020 people came, of 2000 invited; it costs 2019.").is_empty());
    }

    #[test]
    fn other_ordinals_and_halves_are_not() {
        assert!(
            dates("The second question is about half of it. This half, next person, a full day.").is_empty()
        );
    }
}
