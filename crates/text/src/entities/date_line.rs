//! A sentence in which dates are found.

use crate::words::Token;

/// The tokens of a sentence.
pub(super) struct Line<'a>(pub(super) &'a [Token]);

impl Line<'_> {
    /// The word at this position in lower case; empty after the end.
    pub(super) fn word(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |token| token.lower.as_str())
    }
}
