//! A sentence without capitals, and how its words are written.

use super::pairs::{Pairs, without_possessive};
use crate::words::{Kind, Token};

/// How a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    Lower,
    Capital,
    Capitals,
}

/// Which names get capitals.
#[derive(Clone, Copy)]
pub(super) enum Names<'a> {
    /// Every likely one, because only the net reads the text.
    Likely,
    /// Only a sure one, because people read the text. The pairs of names are said more than once.
    Sure(&'a Pairs),
}

/// The tokens of a sentence in lower case.
pub(super) struct LowerLine<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) names: Names<'a>,
}

impl LowerLine<'_> {
    /// The word at this position without a possessive `'s`; empty after the end.
    pub(super) fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| without_possessive(&token.lower))
    }

    pub(super) fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |before| self.word(before))
    }

    pub(super) fn is_word(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Word)
    }

    pub(super) fn takes_likely(&self) -> bool {
        match self.names {
            Names::Likely => true,
            Names::Sure(_) => false,
        }
    }

    /// Whether there is no white space between this token and the one before.
    pub(super) fn touches(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        before.zip(self.tokens.get(at)).is_some_and(|(before, token)| before.range.end == token.range.start)
    }
}
