//! Decides what a name is from the words of its own sentence. The weights were set by hand.

use std::ops::Range;

use super::super::kinds::EntityKind;
use super::word_lists::{
    BEFORE_COMPANIES, BEFORE_PERSONS, BEFORE_PLACES, COMPANY_WORDS, GREETINGS, PLACE_WORDS, TITLES,
};
use crate::gazetteer::{is_first_name, organization_at, place_at};
use crate::words::{Kind, Token};

/// A kind and its weight, from 0 to 1.
type Class = (EntityKind, f64);

/// A name in its sentence.
struct Candidate<'a> {
    tokens: &'a [Token],
    range: &'a Range<usize>,
    /// Its first and last word, without a possessive `'s`.
    first: &'a str,
    last: &'a str,
    /// The word before it.
    before: &'a str,
    has_first_name: bool,
}

/// What a name is, as far as its own sentence shows.
pub(super) fn classify(tokens: &[Token], range: &Range<usize>) -> Option<Class> {
    let name = Candidate::new(tokens, range);
    let by_words = name.by_own_words().or_else(|| name.by_place());
    by_words.or_else(|| name.by_introduction()).or_else(|| name.by_context())
}

impl<'a> Candidate<'a> {
    fn new(tokens: &'a [Token], range: &'a Range<usize>) -> Self {
        let word = |at: usize| tokens[at].lower.trim_end_matches("'s");
        let first = word(range.start);
        let is_capitalized = tokens[range.start].capital;
        Self {
            tokens,
            range,
            first,
            last: word(range.end - 1),
            before: range.start.checked_sub(1).map_or("", |at| tokens[at].lower.as_str()),
            has_first_name: is_first_name(first, false) && is_capitalized || is_first_name(first, true),
        }
    }

    fn has_several_words(&self) -> bool {
        self.range.len() > 1
    }

    /// By words that only occur in names of one kind, and by the list of organizations.
    fn by_own_words(&self) -> Option<Class> {
        if COMPANY_WORDS.contains(&self.last) && self.has_several_words() || self.last == "inc" {
            return Some((EntityKind::Organization, 0.9));
        }
        if TITLES.contains(&self.first) && self.has_several_words() {
            return Some((EntityKind::Person, 1.0));
        }
        let is_organization = organization_at(self.tokens, self.range.start) == Some(self.range.end)
            && place_at(self.tokens, self.range.start).is_none();
        is_organization.then_some((EntityKind::Organization, 0.9))
    }

    /// By the list of places, and by words that end a place name.
    fn by_place(&self) -> Option<Class> {
        if place_at(self.tokens, self.range.start) == Some(self.range.end) {
            // `Austin`, `Charlotte` and `Florence` are names of people too.
            let is_addressed = self.is_introduced() || GREETINGS.contains(&self.before);
            let is_person = self.has_first_name && is_addressed && !self.has_several_words();
            return Some(if is_person { (EntityKind::Person, 0.8) } else { (EntityKind::Location, 0.95) });
        }
        let ends_as_place = PLACE_WORDS.contains(&self.last) && self.has_several_words();
        ends_as_place.then_some((EntityKind::Location, 0.8))
    }

    /// By words before it that introduce an employer or a person, and by the list of first names.
    fn by_introduction(&self) -> Option<Class> {
        if follows_any(self.tokens, self.range.start, &BEFORE_COMPANIES) {
            return Some((EntityKind::Organization, 0.7));
        }
        if self.is_introduced() {
            return Some((EntityKind::Person, if self.has_first_name { 1.0 } else { 0.8 }));
        }
        self.has_first_name.then_some((EntityKind::Person, 0.9))
    }

    /// By weak hints, which do not count for the first word of a sentence.
    fn by_context(&self) -> Option<Class> {
        if starts_sentence(self.tokens, self.range.start) {
            return None;
        }
        if !self.has_several_words() && self.tokens[self.range.start].all_capitals {
            return Some((EntityKind::Organization, 0.3));
        }
        if self.is_greeted() {
            return Some((EntityKind::Person, 0.6));
        }
        if BEFORE_PLACES.contains(&self.before) {
            return Some((EntityKind::Location, 0.4));
        }
        (self.range.len() == 2).then_some((EntityKind::Person, 0.4))
    }

    fn is_introduced(&self) -> bool {
        is_introduced(self.tokens, self.range.start)
    }

    /// Whether a greeting is before the name, possibly with a comma.
    fn is_greeted(&self) -> bool {
        let two_before = self.range.start.checked_sub(2).map_or("", |at| self.tokens[at].lower.as_str());
        GREETINGS.contains(&self.before) || self.before == "," && GREETINGS.contains(&two_before)
    }
}

/// Whether the words around a token introduce a person.
pub(super) fn is_introduced(tokens: &[Token], at: usize) -> bool {
    follows_any(tokens, at, &BEFORE_PERSONS) || tokens.get(at + 1).is_some_and(|next| next.is("speaking"))
}

/// Whether only signs are before the token.
pub(super) fn starts_sentence(tokens: &[Token], at: usize) -> bool {
    tokens[..at].iter().all(|token| token.kind == Kind::Sign)
}

/// Whether one of the phrases is directly before the token.
fn follows_any(tokens: &[Token], at: usize, phrases: &[&[&str]]) -> bool {
    phrases.iter().any(|words| {
        let from = at.checked_sub(words.len());
        from.is_some_and(|from| words.iter().zip(&tokens[from..]).all(|(word, token)| token.is(word)))
    })
}
