//! Addresses and phone numbers that are spoken word by word, as formatting reads them.

use super::found::{Found, span};
use super::kinds::EntityKind;
use crate::formatting::written::runs::Run;
use crate::formatting::written::{Reading, digit_strings, electronic};
use crate::spoken::SpokenLine;
use crate::words::Token;

/// Digits of a phone number.
const PHONE: std::ops::RangeInclusive<usize> = 7..=15;
/// Words before digits that are not a phone number.
const OTHER_NUMBERS: [&str; 22] = [
    "account",
    "card",
    "case",
    "claim",
    "code",
    "confirmation",
    "credit",
    "id",
    "invoice",
    "license",
    "member",
    "membership",
    "order",
    "passcode",
    "passport",
    "pin",
    "policy",
    "reference",
    "routing",
    "serial",
    "ticket",
    "tracking",
];
/// Words that are looked at before digits.
const WORDS_BEFORE: usize = 5;

/// The addresses and phone numbers of a sentence, from left to right.
pub(super) fn find(tokens: &[Token]) -> Vec<Found> {
    let line = SpokenLine { tokens };
    let has_dots = tokens.iter().any(|token| token.is("dot"));
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let address = if has_dots { electronic::find(line, at) } else { None };
        let Some((reading, kind)) = address.map(with_kind).or_else(|| phone(line, at)) else {
            at += 1;
            continue;
        };
        let start = match &reading {
            Reading::Written(rewrite) => rewrite.tokens.start,
            Reading::Words(_) => at,
        };
        let end = reading.end().max(at + 1);
        found.extend(kind.map(|kind| Found { range: span(tokens, &(start..end)), kind, confidence: 0.85 }));
        at = end;
    }
    found
}

/// The kind of an address. That of a computer, in four numbers, is not returned.
fn with_kind(address: Reading) -> (Reading, Option<EntityKind>) {
    let kind = match &address {
        Reading::Written(rewrite) if rewrite.text.contains('@') => Some(EntityKind::Email),
        Reading::Written(rewrite) if !rewrite.text.contains(|letter: char| letter.is_ascii_alphabetic()) => {
            None
        }
        Reading::Written(_) | Reading::Words(_) => Some(EntityKind::Url),
    };
    (address, kind)
}

/// A phone number whose digits are spoken: `one eight hundred five five five one two three four`.
fn phone(line: SpokenLine<'_>, at: usize) -> Option<(Reading, Option<EntityKind>)> {
    let run = Run::read(line, at)?;
    let reading = digit_strings::find(line, &run)?;
    let Reading::Written(rewrite) = &reading else { return None };
    let digits = rewrite.text.bytes().filter(u8::is_ascii_digit).count();
    let is_phone = PHONE.contains(&digits) && !is_other_number(line, rewrite.tokens.start);
    is_phone.then_some((reading, Some(EntityKind::Phone)))
}

/// Whether a word before digits says that they are not a phone number: `my account number is`.
pub(super) fn is_other_number(line: SpokenLine<'_>, start: usize) -> bool {
    (start.saturating_sub(WORDS_BEFORE)..start).any(|at| OTHER_NUMBERS.contains(&line.word(at)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::tokens;

    fn strings(text: &str) -> Vec<(&str, EntityKind)> {
        let found = find(&tokens(text, 0..text.len()));
        found.into_iter().map(|found| (&text[found.range], found.kind)).collect()
    }

    #[test]
    fn spoken_addresses_are_found() {
        for (text, mail) in [
            ("It's bob at example dot org.", "bob at example dot org"),
            ("write to john twenty three at gmail dot com", "john twenty three at gmail dot com"),
            (
                "it is anna underscore b at example dot co dot uk",
                "anna underscore b at example dot co dot uk",
            ),
        ] {
            assert_eq!(strings(text), [(mail, EntityKind::Email)]);
        }
        for (text, site) in [
            ("look at example dot com", "example dot com"),
            ("I work at google dot com.", "google dot com"),
            ("it is available at example dot com today", "example dot com"),
            ("go to w w w dot example dot com slash help", "w w w dot example dot com slash help"),
        ] {
            assert_eq!(strings(text), [(site, EntityKind::Url)]);
        }
        assert_eq!(strings("it is one nine two dot one six eight dot one dot one"), []);
    }

    #[test]
    fn spoken_phone_numbers_are_found_whole() {
        for number in [
            "oh two oh seven nine four six oh one two three",
            "one eight hundred five five five one two three four",
            "five five five oh one two three",
        ] {
            let text = format!("call {number} now");
            assert_eq!(strings(&text), [(number, EntityKind::Phone)]);
        }
        assert_eq!(strings("the account number is four four seven one nine two oh three"), []);
    }
}
