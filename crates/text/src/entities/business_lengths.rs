//! Lengths of time: `multi-year`, `a few weeks`, `one and a half years`, `over a decade`, `a year or so`.

use super::business_dates::is_small;
use super::date_line::Line;
use crate::spoken::number;

/// Words before a length that is not exact.
const ABOUT: [&str; 8] =
    ["about", "almost", "approximately", "around", "barely", "just", "nearly", "roughly"];
/// Words before `over` where it means `more than`. Elsewhere it can mean `during`.
const BEFORE_OVER: [&str; 8] = ["after", "for", "in", "just", "little", "of", "well", "within"];

impl Line<'_> {
    pub(super) fn length(&self, at: usize) -> Option<usize> {
        self.several(at)
            .or_else(|| self.about_length(at))
            .or_else(|| self.vague_length(at))
            .or_else(|| self.length_with_end(at))
            .or_else(|| self.one_length(at))
    }

    /// `multi-year`.
    fn several(&self, at: usize) -> Option<usize> {
        let is_joined = self.word(at) == "multiyear";
        let is_several = self.word(at) == "multi" && self.word(at + 1) == "-" && self.is_unit(at + 2);
        is_joined.then_some(at + 1).or_else(|| is_several.then_some(at + 3))
    }

    /// `over a decade`, `more than 25 years`, `just a few months ago`.
    fn about_length(&self, at: usize) -> Option<usize> {
        let first = match (self.word(at), self.word(at + 1)) {
            ("less" | "more", "than") | ("at", "least") | ("up" | "close", "to") => at + 2,
            ("over", _) if BEFORE_OVER.contains(&self.before(at)) => at + 1,
            (word, _) if ABOUT.contains(&word) => at + 1,
            _ => return None,
        };
        let half = first + usize::from(self.word(first) == "half");
        if matches!(self.word(half), "a" | "an") {
            let unit = half + 1;
            return if self.is_unit(unit) { Some(self.tail(unit + 1)) } else { self.vague_length(unit) };
        }
        let counted = || number(self.spoken(), first).map(|number| number.tokens.end);
        let unit = self.end_of_count(first).or_else(counted)?;
        (self.is_unit(unit) || self.are_units(unit)).then(|| self.tail(unit + 1))
    }

    /// `few weeks`, `couple of quarters`, `number of months`, `one and a half years`; `year or so`, `year or two ago`.
    fn vague_length(&self, at: usize) -> Option<usize> {
        if self.is_unit(at) && matches!(self.before(at), "a" | "one") && self.word(at + 1) == "or" {
            let is_more = matches!(self.word(at + 2), "so" | "two");
            return is_more.then(|| self.tail(at + 3));
        }
        let unit = self.end_of_count(at)?;
        let has_half = self.is_half(at + 1);
        let is_exact = is_small(self.word(at)) && self.word(at) != "few" || self.is_digits(at);
        let is_length = self.are_units(unit) || has_half && self.is_unit(unit);
        (is_length && (has_half || !is_exact)).then(|| self.tail(unit + 1))
    }

    /// `12 weeks ended October 3`, `four quarters ago`, `four months or so`.
    fn length_with_end(&self, at: usize) -> Option<usize> {
        let unit = self.end_of_count(at).filter(|unit| self.are_units(*unit))?;
        let end = self.ended(unit + 1).unwrap_or_else(|| self.tail(unit + 1));
        (end > unit + 1).then_some(end)
    }

    /// `three year` in `a three year plan`, `three or four years`.
    fn one_length(&self, at: usize) -> Option<usize> {
        let is_count = |at: usize| is_small(self.word(at)) && self.word(at) != "few" || self.is_digits(at);
        if !is_count(at) {
            return None;
        }
        let is_choice = self.word(at + 1) == "or" && is_count(at + 2);
        let unit = if is_choice { at + 3 } else { at + 1 };
        let is_one = matches!(self.word(unit), "day" | "week" | "month" | "quarter" | "year");
        (is_one && !is_choice || self.are_units(unit) && is_choice).then_some(unit + 1)
    }

    /// The end of a length with the words that may follow: `or so`, `ago`, `from now`.
    fn tail(&self, at: usize) -> usize {
        let is_vague = self.word(at) == "or" && self.word(at + 1) == "so";
        let at = at + 2 * usize::from(is_vague);
        match (self.word(at), self.word(at + 1)) {
            ("ago", _) => at + 1,
            ("from", "now") => at + 2,
            _ => at,
        }
    }

    fn is_unit(&self, at: usize) -> bool {
        matches!(self.word(at), "day" | "week" | "month" | "quarter" | "year" | "decade")
    }

    fn are_units(&self, at: usize) -> bool {
        matches!(self.word(at), "days" | "weeks" | "months" | "quarters" | "years" | "decades")
    }
}
