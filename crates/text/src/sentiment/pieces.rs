//! The pieces of a transcript that are judged one by one.

use std::ops::Range;

use crate::parsed_transcript::{ParsedTranscript, Sentence};
use crate::{limits, sentences};

/// Maximum bytes of the sentences of one utterance that the network reads together. It reads 64 tokens.
const JOINED_BYTES: usize = 200;

/// A part of the text, or of an utterance that the text does not contain.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    pub(super) range: Range<usize>,
    pub(super) utterance: Option<usize>,
    /// Whether the bytes are those of the utterance's own text.
    pub(super) separate: bool,
}

impl Piece {
    pub(super) fn text<'a>(&self, parsed: &'a ParsedTranscript) -> &'a str {
        let utterance = self.utterance.filter(|_| self.separate);
        let text = utterance.map_or(parsed.text(), |nth| parsed.transcript().utterances[nth].text.as_str());
        &text[self.range.clone()]
    }
}

/// The sentences. With `joined`, short sentences of an utterance are one piece, because together they say more.
pub(super) fn of(parsed: &ParsedTranscript, joined: bool) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::with_capacity(parsed.sentences.len());
    for Sentence { range, utterance } in &parsed.sentences {
        match pieces.last_mut() {
            Some(last)
                if joined
                    && utterance.is_some()
                    && last.utterance == *utterance
                    && range.end - last.range.start <= JOINED_BYTES =>
            {
                last.range.end = range.end;
            }
            _ => pieces.push(Piece { range: range.clone(), utterance: *utterance, separate: false }),
        }
    }
    for (nth, utterance) in parsed.transcript().utterances.iter().enumerate() {
        if parsed.utterance_range(nth).is_none() {
            let most = limits::SENTENCES.saturating_sub(pieces.len());
            let ranges = sentences::split(&utterance.text, 0..utterance.text.len(), most);
            let separate = |range| Piece { range, utterance: Some(nth), separate: true };
            pieces.extend(ranges.into_iter().map(separate));
        }
    }
    pieces
}

/// Ranges of pieces of about `bytes` bytes, and at most `count` pieces, each.
pub(super) fn windows(pieces: &[Piece], bytes: usize, count: usize) -> Vec<Range<usize>> {
    let mut windows = Vec::new();
    let mut first = 0;
    let mut size = 0;
    for (nth, piece) in pieces.iter().enumerate() {
        if nth > first && (size + piece.range.len() > bytes || nth - first == count) {
            windows.push(first..nth);
            first = nth;
            size = 0;
        }
        size += piece.range.len();
    }
    if first < pieces.len() {
        windows.push(first..pieces.len());
    }
    windows
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use auris_engine_core::text::{TextTranscript, TextUtterance};

    use super::*;

    fn parsed(text: &str, utterances: &[&str]) -> ParsedTranscript {
        let said = |text: &&str| TextUtterance { text: (*text).into(), ..TextUtterance::default() };
        let utterances = utterances.iter().map(said).collect();
        ParsedTranscript::new(Arc::new(TextTranscript { text: text.into(), language: None, utterances }))
    }

    fn texts(parsed: &ParsedTranscript, joined: bool) -> Vec<String> {
        of(parsed, joined).iter().map(|piece| piece.text(parsed).to_owned()).collect()
    }

    #[test]
    fn short_sentences_of_one_utterance_are_judged_together() {
        let parsed = parsed("Oh no. It broke. Really?", &["Oh no. It broke.", "Really?"]);
        assert_eq!(texts(&parsed, true), ["Oh no. It broke.", "Really?"]);
        assert_eq!(texts(&parsed, false), ["Oh no.", "It broke.", "Really?"]);
    }

    #[test]
    fn an_utterance_that_is_not_in_the_text_has_its_own_pieces() {
        let parsed = parsed("One.", &["Something else. Twice."]);
        assert_eq!(texts(&parsed, true), ["One.", "Something else.", "Twice."]);
    }

    #[test]
    fn windows_hold_every_piece_once() {
        let parsed = parsed(&"One more. ".repeat(50), &[]);
        let pieces = of(&parsed, true);
        let windows = windows(&pieces, 45, 3);
        assert!(windows.iter().all(|window| (1..=3).contains(&window.len())));
        assert_eq!(windows.iter().cloned().flatten().collect::<Vec<_>>(), (0..50).collect::<Vec<_>>());
    }
}
