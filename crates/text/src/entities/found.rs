//! An entity that was found in a sentence.

use std::ops::Range;

use super::kinds::EntityKind;
use crate::words::Token;

/// An entity and its bytes in the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) range: Range<usize>,
    pub(super) kind: EntityKind,
    pub(super) confidence: f64,
}

impl Found {
    /// The same entity in a text in which it begins `bytes` later.
    pub(super) fn moved(self, bytes: usize) -> Self {
        Self { range: self.range.start + bytes..self.range.end + bytes, ..self }
    }
}

/// The bytes of a range of tokens.
pub(super) fn span(tokens: &[Token], range: &Range<usize>) -> Range<usize> {
    match (tokens.get(range.start), tokens.get(range.end.wrapping_sub(1))) {
        (Some(first), Some(last)) => first.range.start..last.range.end,
        _ => 0..0,
    }
}
