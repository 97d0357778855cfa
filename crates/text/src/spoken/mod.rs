//! Finds numbers, amounts, dates and times, in words or digits. `formatting::written` has the written forms.
//!
//! Hand-written: `text2num` covers only plain numbers (`numerals.rs`), not their combination with money, dates, times
//! and phone numbers, which share this reader.

mod amounts;
mod dates;
mod number_words;
mod numerals;
mod phones;
mod times;

use std::ops::Range;

use super::words::{Kind, Token};

pub(super) use dates::{is_calendar_word, month, month_name, title};
pub(super) use number_words::{digit, is_number_word, scale, small};
pub(super) use numerals::{Numeral, fraction, grouped, nth, number, ordinal, two_digits};
pub(super) use times::half_of_day;

/// The meaning of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Number,
    Ordinal,
    Money,
    Percent,
    Date,
    Time,
    Phone,
}

/// A range of tokens with a numeric meaning.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expression {
    pub(super) tokens: Range<usize>,
    pub(super) meaning: Meaning,
}

impl Expression {
    fn new(tokens: Range<usize>, meaning: Meaning) -> Self {
        Self { tokens, meaning }
    }
}

/// The tokens of one sentence.
#[derive(Clone, Copy)]
pub(super) struct SpokenLine<'a> {
    pub(super) tokens: &'a [Token],
}

impl<'a> SpokenLine<'a> {
    /// Every expression, from left to right.
    pub(super) fn expressions(self) -> Vec<Expression> {
        let mut found: Vec<Expression> = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            match self.expression(at) {
                Some(expression) => {
                    at = expression.tokens.end.max(at + 1);
                    found.push(expression);
                }
                None => at += 1,
            }
        }
        found
    }

    fn expression(self, at: usize) -> Option<Expression> {
        dates::find(self, at)
            .or_else(|| times::find(self, at))
            .or_else(|| phones::find(self, at))
            .or_else(|| amounts::find(self, at))
    }

    /// The token after the date that begins here.
    pub(super) fn date_end(self, at: usize) -> Option<usize> {
        dates::find(self, at).map(|date| date.tokens.end)
    }

    pub(super) fn get(self, at: usize) -> Option<&'a Token> {
        self.tokens.get(at)
    }

    pub(super) fn word(self, at: usize) -> &'a str {
        self.get(at).map_or("", |token| token.lower.as_str())
    }

    pub(super) fn before(self, at: usize) -> &'a str {
        at.checked_sub(1).map_or("", |before| self.word(before))
    }

    pub(super) fn is_digits(self, at: usize) -> bool {
        self.get(at).is_some_and(|token| token.kind == Kind::Digits)
    }

    /// Whether there is no white space between this token and the one before.
    pub(super) fn touches(self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.get(before));
        before.zip(self.get(at)).is_some_and(|(before, token)| before.range.end == token.range.start)
    }

    /// The token after a hyphen as in `twenty-five`, else the token itself.
    pub(super) fn past_hyphen(self, at: usize) -> usize {
        if self.word(at) == "-" && self.touches(at) && self.touches(at + 1) { at + 1 } else { at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::tokens;

    fn expressions_in(text: &str) -> Vec<(String, Meaning)> {
        let tokens = tokens(text, 0..text.len());
        let said =
            |of: &Range<usize>| text[tokens[of.start].range.start..tokens[of.end - 1].range.end].to_owned();
        let found = (SpokenLine { tokens: &tokens }).expressions().into_iter();
        found.map(|one| (said(&one.tokens), one.meaning)).collect()
    }

    fn has(text: &str, meaning: Meaning, wanted: &str) {
        let found = expressions_in(text);
        let is_wanted = |(said, of): &(String, Meaning)| *of == meaning && said == wanted;
        assert!(found.iter().any(is_wanted), "`{text}` gave {found:?}, not `{wanted}`");
    }

    #[test]
    fn numbers_in_words_and_digits() {
        has("we had twenty-five people", Meaning::Number, "twenty-five");
        has("two hundred and fifty of them", Meaning::Number, "two hundred and fifty");
        has("between two hundred and three hundred", Meaning::Number, "two hundred");
        has("three point five million users", Meaning::Number, "three point five million");
        has("the twenty first time", Meaning::Ordinal, "twenty first");
        has("the hundred and two hundred and third", Meaning::Ordinal, "two hundred and third");
        assert!(expressions_in("one of the firsts").is_empty());
    }

    #[test]
    fn money_and_percentages() {
        has("that is twenty five dollars", Meaning::Money, "twenty five dollars");
        has(
            "for nineteen dollars and ninety nine cents",
            Meaning::Money,
            "nineteen dollars and ninety nine cents",
        );
        has("it costs 40 euros", Meaning::Money, "40 euros");
        has("it was $4,000 and more", Meaning::Money, "$4,000");
        has("down twelve point five percent", Meaning::Percent, "twelve point five percent");
    }

    #[test]
    fn times_of_the_day() {
        has("at three thirty p.m. on monday", Meaning::Time, "three thirty p.m.");
        has("by nine a m", Meaning::Time, "nine a m");
        has("see you at ten fifteen", Meaning::Time, "ten fifteen");
        has("it is eleven o'clock", Meaning::Time, "eleven o'clock");
        for text in ["half past three", "3:30 PM", "noon", "15:30"] {
            has(text, Meaning::Time, text);
        }
    }

    #[test]
    fn dates() {
        has("on june twenty first twenty twenty six", Meaning::Date, "june twenty first twenty twenty six");
        has("the fifth of may", Meaning::Date, "fifth of may");
        has("in nineteen eighty four", Meaning::Date, "nineteen eighty four");
        has("since march two thousand and five", Meaning::Date, "march two thousand and five");
        for text in [
            "this past summer",
            "next monday",
            "2026-06-05",
            "yesterday",
            "two weeks ago",
            "June 5, 2026",
            "last year",
        ] {
            assert_eq!(expressions_in(text), [(text.to_owned(), Meaning::Date)]);
        }
        assert!(expressions_in("we may go and march on").is_empty());
    }

    #[test]
    fn estimates_and_prices_are_not_years() {
        for text in ["I was eighteen nineteen at the time", "eighteen fifty dollars", "nineteen twenty bucks"]
        {
            assert!(expressions_in(text).iter().all(|(_, meaning)| *meaning != Meaning::Date), "{text}");
        }
        has("in eighteen nineteen he left", Meaning::Date, "eighteen nineteen");
        has("built eighteen fifty two", Meaning::Date, "eighteen fifty two");
    }

    #[test]
    fn digits_said_one_by_one() {
        has("call five five five oh one two three", Meaning::Phone, "five five five oh one two three");
        has("the code is four seven one one", Meaning::Number, "four seven one one");
        has("call +1 (212) 555-0199 now", Meaning::Phone, "+1 (212) 555-0199");
        has("call 212-555-0199", Meaning::Phone, "212-555-0199");
        assert!(expressions_in("from 2019-2020").iter().all(|(_, meaning)| *meaning != Meaning::Phone));
    }
}
