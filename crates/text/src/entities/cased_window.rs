//! Consecutive sentences of a transcript, with restored capitals where the transcript has none.

use std::borrow::Cow;
use std::ops::Range;

use crate::letter_case::restored_for_net;
use crate::parsed_transcript::Sentence;

/// The sentences that are read together.
pub(super) struct CasedWindow<'a> {
    /// The first byte of the window in the transcript. Every other position counts from here.
    pub(super) start: usize,
    pub(super) text: Cow<'a, str>,
    pub(super) sentences: Vec<Range<usize>>,
}

impl<'a> CasedWindow<'a> {
    /// The window of some sentences. With `restores`, it has capitals even if the transcript has none.
    pub(super) fn read(text: &'a str, sentences: &[Sentence], restores: bool) -> Self {
        let start = sentences.first().map_or(0, |first| first.range.start);
        let end = sentences.last().map_or(start, |last| last.range.end);
        let text = &text[start..end];
        let moved = |sentence: &Sentence| sentence.range.start - start..sentence.range.end - start;
        let sentences: Vec<Range<usize>> = sentences.iter().map(moved).collect();
        let restored = restores.then(|| restored_for_net(text, &sentences)).flatten();
        Self { start, text: restored.map_or(Cow::Borrowed(text), Cow::Owned), sentences }
    }

    /// Whether the transcript itself has capitals.
    pub(super) fn has_case(&self) -> bool {
        matches!(self.text, Cow::Borrowed(_))
    }
}
