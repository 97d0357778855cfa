//! The words of spoken addresses that stand for signs: `dot` and `at` in `anna dot smith at example dot com`. No name
//! contains one. Addresses are read more loosely here than where they are written: it does not matter what is before them.

use std::ops::Range;

use super::found::{Found, span};
use super::kinds::EntityKind;
use crate::formatting::written::spelled_names::is_sure_domain;
use crate::spoken::is_number_word;
use crate::words::{Kind, Token};

const SIGNS: [&str; 6] = ["at", "dot", "underscore", "dash", "hyphen", "plus"];
/// The confidence of an address that no word announces.
const CONFIDENCE: f64 = 0.8;

/// Words with signs between them, up to a top-level domain.
pub(super) struct SpokenAddress {
    tokens: Range<usize>,
    /// The tokens that are signs, the last one first.
    signs: Vec<usize>,
}

impl SpokenAddress {
    /// The addresses of a sentence, from left to right.
    pub(super) fn all(tokens: &[Token]) -> Vec<Self> {
        (0..tokens.len()).filter_map(|at| Self::ending_at(tokens, at)).collect()
    }

    /// The address whose last `dot` is this token.
    fn ending_at(tokens: &[Token], last: usize) -> Option<Self> {
        let ends = |at: usize| {
            tokens[at].is("dot") && tokens.get(at + 1).is_some_and(|domain| is_sure_domain(&domain.lower))
        };
        let goes_on = last + 2 < tokens.len() && ends(last + 2);
        if !ends(last) || goes_on {
            return None;
        }
        let mut signs = vec![last];
        let mut start = name_start(tokens, last)?;
        while let Some(sign) = start.checked_sub(1).filter(|sign| tokens[*sign].is_one_of(&SIGNS)) {
            let Some(next) = name_start(tokens, sign) else { break };
            signs.push(sign);
            start = next;
        }
        Some(Self { tokens: start..last + 2, signs })
    }

    /// The e-mail address, if it is surely one: with a single `at`, and a mailbox of several words. A mailbox of one word may
    /// begin earlier: `anna smith at example dot com`.
    pub(super) fn mail(&self, tokens: &[Token]) -> Option<Found> {
        let is_at = |sign: &usize| tokens[*sign].is("at");
        let at = self.signs.iter().position(is_at)?;
        let is_sure = self.signs.len() > at + 1 && !self.signs[at + 1..].iter().any(is_at);
        let range = span(tokens, &self.tokens);
        is_sure.then_some(Found { range, kind: EntityKind::Email, confidence: CONFIDENCE })
    }

    /// The part of a name before the first sign; `None` if nothing is left. Other entities stay.
    pub(super) fn without_signs(&self, found: Found, tokens: &[Token]) -> Option<Found> {
        match found.kind {
            EntityKind::Person | EntityKind::Location | EntityKind::Organization => {}
            EntityKind::Date
            | EntityKind::Time
            | EntityKind::Money
            | EntityKind::Percent
            | EntityKind::Number
            | EntityKind::Phone
            | EntityKind::Email
            | EntityKind::Url => return Some(found),
        }
        let Range { start, end } = found.range;
        let inside = |sign: &&usize| (start..end).contains(&tokens[**sign].range.start);
        let Some(sign) = self.signs.iter().rev().find(inside) else { return Some(found) };
        let end = tokens[..*sign].last().map_or(0, |before| before.range.end);
        (end > start).then_some(Found { range: start..end, ..found })
    }
}

/// Where the name before a sign begins: a word or single letters, with digits or numbers behind. `None` if there is none.
fn name_start(tokens: &[Token], sign: usize) -> Option<usize> {
    let is_number =
        |token: &Token| token.kind == Kind::Digits || is_number_word(&token.lower) || token.is("oh");
    let is_name = |token: &&Token| token.kind != Kind::Sign && !token.is_one_of(&SIGNS);
    let names = || tokens[..sign].iter().rev().take_while(is_name);
    let numbers = names().take_while(|token| is_number(token)).count();
    let letters = names().skip(numbers).take_while(|token| token.lower.len() == 1).count();
    let word = usize::from(letters == 0 && names().nth(numbers).is_some());
    let length = numbers + letters + word;
    (length > 0).then_some(sign - length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::tokens;

    fn mails(text: &str) -> Vec<&str> {
        let tokens = tokens(text, 0..text.len());
        let found = SpokenAddress::all(&tokens);
        found.iter().filter_map(|address| address.mail(&tokens)).map(|mail| &text[mail.range]).collect()
    }

    /// What is left of a name.
    fn left<'a>(text: &'a str, name: &str, kind: EntityKind) -> Option<&'a str> {
        let tokens = tokens(text, 0..text.len());
        let start = text.find(name).expect("the name is in the text");
        let mut found = Some(Found { range: start..start + name.len(), kind, confidence: 0.9 });
        for address in SpokenAddress::all(&tokens) {
            found = found.and_then(|found| address.without_signs(found, &tokens));
        }
        found.map(|found| &text[found.range])
    }

    #[test]
    fn an_address_with_signs_in_its_mailbox_needs_no_announcement() {
        for mail in [
            "ANNA DOT SMITH AT EXAMPLE DOT COM",
            "anna underscore b at example dot co dot uk",
            "a n n a dot s at mail dot example dot org",
            "anna dot smith twenty at example dot com",
        ] {
            assert_eq!(mails(&format!("call {mail} today")), [mail]);
        }
        for text in [
            "call anna smith at example dot com",
            "call anna at the dot",
            "we saw it at google dot com",
            "a polka dot in red at home",
            "dot com",
            "at dot com",
        ] {
            assert!(mails(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_name_ends_before_the_sign_of_an_address() {
        let text = "CALL ANNA DOT SMITH AT EXAMPLE DOT COM";
        for name in ["ANNA DOT", "ANNA DOT SMITH", "ANNA DOT SMITH AT EXAMPLE"] {
            assert_eq!(left(text, name, EntityKind::Person), Some("ANNA"), "{name}");
        }
        assert_eq!(left(text, "SMITH AT", EntityKind::Organization), Some("SMITH"));
        assert_eq!(left(text, "DOT", EntityKind::Person), None);
        assert_eq!(left(text, text, EntityKind::Email), Some(text));
        assert_eq!(
            left("Call Anna dash Lee at example dot org", "Anna dash", EntityKind::Person),
            Some("Anna")
        );
    }

    #[test]
    fn names_without_an_address_keep_their_words() {
        for (text, name) in [
            ("I met Aunt Dot in Paris", "Aunt Dot"),
            ("we love Panic At The Disco", "Panic At The Disco"),
            ("Dot Cotton works at example dot com", "Dot Cotton"),
        ] {
            assert_eq!(left(text, name, EntityKind::Person), Some(name));
        }
    }
}
