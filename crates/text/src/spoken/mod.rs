//! Finds spoken numbers, amounts, dates and times, and their written form.
//!
//! Hand-written: `text2num` covers only plain numbers (`numerals.rs`), not their combination with money, dates, times and
//! phone numbers, which share this reader.

mod amounts;
mod dates;
mod numerals;
mod phones;
mod times;

use std::ops::Range;

use super::words::{Kind, Token};

pub(super) use dates::{is_calendar_word, title};

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
    /// Its written form, if that differs from the text.
    pub(super) written: Option<String>,
}

impl Expression {
    fn new(tokens: Range<usize>, meaning: Meaning, written: Option<String>) -> Self {
        Self { tokens, meaning, written }
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

    fn get(self, at: usize) -> Option<&'a Token> {
        self.tokens.get(at)
    }

    fn word(self, at: usize) -> &'a str {
        self.get(at).map_or("", |token| token.lower.as_str())
    }

    fn before(self, at: usize) -> &'a str {
        at.checked_sub(1).map_or("", |before| self.word(before))
    }

    fn is_digits(self, at: usize) -> bool {
        self.get(at).is_some_and(|token| token.kind == Kind::Digits)
    }

    /// Whether there is no white space between this token and the one before.
    fn touches(self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.get(before));
        before.zip(self.get(at)).is_some_and(|(before, token)| before.range.end == token.range.start)
    }

    /// The token after a hyphen as in `twenty-five`, else the token itself.
    fn past_hyphen(self, at: usize) -> usize {
        if self.word(at) == "-" && self.touches(at) && self.touches(at + 1) { at + 1 } else { at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::tokens;

    fn expressions_in(text: &str) -> Vec<(String, Meaning, Option<String>)> {
        let tokens = tokens(text, 0..text.len());
        let said =
            |of: &Range<usize>| text[tokens[of.start].range.start..tokens[of.end - 1].range.end].to_owned();
        let found = (SpokenLine { tokens: &tokens }).expressions().into_iter();
        found.map(|one| (said(&one.tokens), one.meaning, one.written)).collect()
    }

    fn becomes(text: &str, meaning: Meaning, written: &str) {
        let found = expressions_in(text);
        let wanted =
            found.iter().any(|(_, of, as_written)| *of == meaning && as_written.as_deref() == Some(written));
        assert!(wanted, "`{text}` gave {found:?}, not `{written}`");
    }

    fn stays(text: &str) {
        assert!(
            expressions_in(text).iter().all(|(_, _, written)| written.is_none()),
            "`{text}` gave {:?}",
            expressions_in(text)
        );
    }

    #[test]
    fn numbers_are_written_in_digits_from_ten_on() {
        becomes("we had twenty-five people", Meaning::Number, "25");
        becomes("two hundred and fifty of them", Meaning::Number, "250");
        becomes("about twelve thousand five hundred", Meaning::Number, "12,500");
        becomes("three point five million users", Meaning::Number, "3.5 million");
        becomes("some forty two million", Meaning::Number, "42 million");
        becomes("the twenty first time", Meaning::Ordinal, "21st");
        stays("one of the two or three things, a hundred times, ten fifteen minutes, the second one");
    }

    #[test]
    fn money_and_percent_get_their_signs() {
        becomes("that is twenty five dollars", Meaning::Money, "$25");
        becomes("nineteen dollars and ninety nine cents", Meaning::Money, "$19.99");
        becomes("we raised three million dollars", Meaning::Money, "$3 million");
        becomes("it costs 40 euros", Meaning::Money, "€40");
        becomes("down twelve point five percent", Meaning::Percent, "12.5%");
        stays("it was $4,000 and 15% and a million dollars");
    }

    #[test]
    fn times_of_the_day() {
        becomes("at three thirty pm", Meaning::Time, "3:30 PM");
        becomes("at three thirty p.m. on monday", Meaning::Time, "3:30 PM");
        becomes("by nine a m", Meaning::Time, "9 AM");
        becomes("see you at ten fifteen", Meaning::Time, "10:15");
        becomes("at seven oh five am", Meaning::Time, "7:05 AM");
        becomes("it is eleven o'clock", Meaning::Time, "11 o'clock");
        stays("half past three, 3:30 PM, noon");
        assert_eq!(expressions_in("it starts at 15:30")[0].1, Meaning::Time);
    }

    #[test]
    fn dates() {
        becomes("on june fifth", Meaning::Date, "June 5");
        becomes("on june twenty first twenty twenty six", Meaning::Date, "June 21, 2026");
        becomes("the fifth of may", Meaning::Date, "5th of May");
        becomes("in nineteen eighty four", Meaning::Date, "1984");
        becomes("since march two thousand and five", Meaning::Date, "March 2005");
        for text in ["next monday", "2026-06-05", "yesterday", "two weeks ago", "June 5, 2026", "last year"] {
            let found = expressions_in(text);
            assert_eq!((found.len(), found[0].0.as_str(), found[0].1), (1, text, Meaning::Date), "{found:?}");
        }
        assert!(expressions_in("we may go and march on").is_empty());
    }

    #[test]
    fn digits_said_one_by_one() {
        becomes("call five five five oh one two three", Meaning::Phone, "555-0123");
        becomes("it's two one two five five five zero one nine nine", Meaning::Phone, "212-555-0199");
        becomes("the code is four seven one one", Meaning::Number, "4711");
        assert_eq!(expressions_in("call +1 (212) 555-0199 now")[0].1, Meaning::Phone);
        assert_eq!(expressions_in("call 212-555-0199")[0].0, "212-555-0199");
        assert!(expressions_in("from 2019-2020").iter().all(|(_, meaning, _)| *meaning != Meaning::Phone));
    }
}
