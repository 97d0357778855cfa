//! A transcript as numbered lines that a model can refer to, with their positions in the text.

use std::ops::Range;

use auris_engine_core::text::{TextTranscript, TextUtterance};

/// Maximum characters of a sentence in a text without utterances; a longer one is split at a space.
const MAX_SENTENCE: usize = 400;

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) speaker: Option<String>,
    /// The position in the transcript, in Unicode scalar values.
    pub(crate) characters: Range<usize>,
    pub(crate) start: Option<f64>,
    pub(crate) end: Option<f64>,
}

/// All lines of a transcript: its utterances, or its sentences if it has no utterances.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines {
    pub(crate) all: Vec<Line>,
}

impl Lines {
    pub(crate) fn of(transcript: &TextTranscript) -> Self {
        let all = if transcript.utterances.is_empty() {
            sentences(&transcript.text)
        } else {
            utterances(transcript)
        };
        Self { all }
    }

    /// The lines for a prompt: number, speaker, text.
    pub(crate) fn written(&self, range: Range<usize>) -> String {
        range.map(|number| written(number, &self.all[number])).collect()
    }

    /// The same without the speakers, which a model could mistake for words.
    pub(crate) fn written_unnamed(&self, range: Range<usize>) -> String {
        range.map(|number| numbered(number, &self.all[number].text)).collect()
    }
}

pub(crate) fn written(number: usize, line: &Line) -> String {
    match &line.speaker {
        Some(speaker) => format!("[{number}] {speaker}: {}\n", line.text),
        None => numbered(number, &line.text),
    }
}

fn numbered(number: usize, text: &str) -> String {
    format!("[{number}] {text}\n")
}

fn utterances(transcript: &TextTranscript) -> Vec<Line> {
    let mut finder = LineFinder { text: &transcript.text, byte: 0, character: 0 };
    let line = |utterance: &TextUtterance| {
        let text = utterance.text.trim().to_owned();
        let characters = finder.find(&text);
        Line {
            text,
            speaker: utterance.speaker.clone(),
            characters,
            start: utterance.start,
            end: utterance.end,
        }
    };
    transcript.utterances.iter().map(line).collect()
}

/// Finds texts one after the other and counts the characters between them once.
struct LineFinder<'a> {
    text: &'a str,
    byte: usize,
    character: usize,
}

impl LineFinder<'_> {
    /// The position of a text; an empty range if it does not occur.
    fn find(&mut self, piece: &str) -> Range<usize> {
        let Some(ahead) = self.text[self.byte..].find(piece).filter(|_| !piece.is_empty()) else {
            return self.character..self.character;
        };
        let start = self.character + self.text[self.byte..self.byte + ahead].chars().count();
        let end = start + piece.chars().count();
        self.byte += ahead + piece.len();
        self.character = end;
        start..end
    }
}

fn sentences(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut piece = String::new();
    let mut start = 0;
    let mut after_stop = false;
    for (position, character) in text.chars().enumerate() {
        let ends = character.is_whitespace()
            && (after_stop || character == '\n' || position - start >= MAX_SENTENCE);
        if ends || (piece.is_empty() && character.is_whitespace()) {
            push(&mut lines, &mut piece, start);
            start = position + 1;
        } else {
            piece.push(character);
        }
        after_stop = matches!(character, '.' | '!' | '?' | '…' | '。' | '！' | '？')
            || (after_stop && matches!(character, '"' | '\'' | ')' | '”' | '’'));
    }
    push(&mut lines, &mut piece, start);
    lines
}

fn push(lines: &mut Vec<Line>, piece: &mut String, start: usize) {
    if piece.is_empty() {
        return;
    }
    let text = std::mem::take(piece);
    let characters = start..start + text.chars().count();
    lines.push(Line { text, speaker: None, characters, start: None, end: None });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(text: &str, range: &Range<usize>) -> String {
        text.chars().skip(range.start).take(range.len()).collect()
    }

    #[test]
    fn sentences_have_the_right_positions() {
        let text = "Où est-il ?  \"Là-bas.\" Bien\nsûr… oui";
        let lines = sentences(text);
        assert_eq!(lines.len(), 5);
        for line in &lines {
            assert_eq!(slice(text, &line.characters), line.text);
        }
        let long = "word ".repeat(300);
        assert!(sentences(&long).iter().all(|line| line.text.len() < MAX_SENTENCE + 20));
    }

    #[test]
    fn utterances_are_found_in_the_text_and_unknown_ones_are_not() {
        let said =
            |text: &str| TextUtterance { text: text.into(), speaker: Some("A".into()), ..Default::default() };
        let utterances = vec![said("Hé!"), said("not there"), said("Ja ja.")];
        let transcript = TextTranscript { text: "Hé! Ja ja.".into(), language: None, utterances };
        let lines = Lines::of(&transcript);
        assert_eq!(lines.all[0].characters, 0..3);
        assert!(lines.all[1].characters.is_empty());
        assert_eq!(lines.all[2].characters, 4..10);
        assert_eq!(lines.written(2..3), "[2] A: Ja ja.\n");
        assert_eq!(lines.written_unnamed(2..3), "[2] Ja ja.\n");
    }
}
