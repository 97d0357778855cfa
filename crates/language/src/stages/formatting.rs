//! Formatting: the model returns paragraphs. If it changed the words of one, the text of the transcript is used instead.

use std::ops::Range;

use auris_domain::step::output::{Formatting, Paragraph};
use auris_engine_core::EngineError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::stage::Stage;
use crate::conversation::Conversation;
use crate::prepared_transcript::PreparedTranscript;
use crate::windows::Window;

pub(super) const PROMPT: &str = include_str!("../prompts/formatting.md");
pub(super) const STAGE: Stage =
    Stage { name: "formatting", answer_tokens: 1_024, window_tokens: 512, window_lines: 30 };

/// Lines per paragraph. Limits the number of paragraphs, because small models make one of each line otherwise.
const LINES: usize = 2;
/// A paragraph of this many bytes gets no further line.
const LONG_ENOUGH: usize = 400;

#[derive(Deserialize)]
struct Answer {
    paragraphs: Vec<AnswerParagraph>,
}

#[derive(Deserialize)]
struct AnswerParagraph {
    first_line: usize,
    text: String,
}

/// A paragraph and its lines.
struct Draft {
    lines: Range<usize>,
    text: String,
}

pub(super) fn run(
    conversation: &mut Conversation<'_>,
    transcript: &PreparedTranscript<'_>,
) -> Result<Formatting, EngineError> {
    let mut drafts = Vec::new();
    for window in STAGE.windows(conversation, transcript)? {
        let text = transcript.lines.written_unnamed(window.lines.clone());
        let answer: Answer = STAGE.ask(conversation, &text, PROMPT, schema(&window))?;
        let checked = checked(proposed(&answer, &window), transcript);
        drafts.extend(checked.into_iter().flat_map(|draft| by_speaker(draft, transcript)));
    }
    let joined = joined(drafts, transcript);
    let texts: Vec<&str> = joined.iter().map(|draft| draft.text.as_str()).collect();
    let text = texts.join("\n\n");
    let paragraphs = joined.into_iter().map(|draft| with_position(draft, transcript)).collect();
    Ok(Formatting { text, paragraphs })
}

fn with_position(draft: Draft, transcript: &PreparedTranscript<'_>) -> Paragraph {
    let lines = &transcript.lines.all[draft.lines];
    let start_char = lines.first().map_or(0, |line| line.characters.start);
    let end_char = lines.last().map_or(start_char, |line| line.characters.end);
    Paragraph { text: draft.text, start_char, end_char }
}

fn schema(window: &Window) -> Value {
    let most = window.lines.len() / LINES + 1;
    json!({
        "type": "object", "additionalProperties": false, "required": ["paragraphs"],
        "properties": {"paragraphs": {"type": "array", "minItems": 1, "maxItems": most, "items": {
            "type": "object", "additionalProperties": false, "required": ["first_line", "text"],
            "properties": {
                "first_line": {"type": "integer", "minimum": window.lines.start, "maximum": window.lines.end - 1},
                "text": {"type": "string", "minLength": 1},
            },
        }}},
    })
}

/// Paragraphs that cover every line of the window once, in order.
fn proposed(answer: &Answer, window: &Window) -> Vec<Draft> {
    let mut starts: Vec<(usize, String)> = Vec::new();
    for paragraph in &answer.paragraphs {
        let line = paragraph.first_line;
        let text = paragraph.text.trim();
        match starts.last_mut() {
            None => starts.push((window.lines.start, text.to_owned())),
            Some((last, _)) if line > *last && window.lines.contains(&line) => {
                starts.push((line, text.to_owned()))
            }
            // A second paragraph of the same line, or one out of order, is appended to the one before.
            Some((_, before)) => *before = format!("{before} {text}"),
        }
    }
    let ends: Vec<usize> = starts.iter().skip(1).map(|(line, _)| *line).chain([window.lines.end]).collect();
    let paragraph = |((start, text), end): ((usize, String), usize)| Draft { lines: start..end, text };
    starts.into_iter().zip(ends).map(paragraph).collect()
}

fn checked(paragraphs: Vec<Draft>, transcript: &PreparedTranscript<'_>) -> Vec<Draft> {
    let check = |mut paragraph: Draft| {
        let lines = &transcript.lines.all[paragraph.lines.clone()];
        let spoken = lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ");
        if !words(&paragraph.text).eq(words(&spoken)) {
            paragraph.text = spoken;
        }
        paragraph
    };
    paragraphs.into_iter().map(check).filter(|paragraph| !paragraph.text.is_empty()).collect()
}

/// Splits a paragraph where the speaker changes. It has the same words as its lines, so they can be counted.
fn by_speaker(paragraph: Draft, transcript: &PreparedTranscript<'_>) -> Vec<Draft> {
    let lines = &transcript.lines.all[paragraph.lines.clone()];
    let mut rest = paragraph.text.as_str();
    let mut first = paragraph.lines.start;
    let mut parts = Vec::new();
    for turn in lines.chunk_by(|one, next| one.speaker == next.speaker) {
        let spoken: usize = turn.iter().map(|line| words(&line.text).count()).sum();
        let (text, left) = split_after(rest, spoken);
        parts.push(Draft { lines: first..first + turn.len(), text: text.trim().to_owned() });
        first += turn.len();
        rest = left;
    }
    parts.retain(|part| !part.text.is_empty());
    parts
}

/// Single lines of one speaker, one after the other, are one paragraph until it is long enough.
fn joined(paragraphs: Vec<Draft>, transcript: &PreparedTranscript<'_>) -> Vec<Draft> {
    let speaker = |line: usize| transcript.lines.all[line].speaker.as_deref();
    let mut joined: Vec<Draft> = Vec::new();
    for paragraph in paragraphs {
        match joined.last_mut() {
            Some(last)
                if paragraph.lines.len() == 1
                    && speaker(last.lines.start) == speaker(paragraph.lines.start)
                    && last.text.len() + paragraph.text.len() < LONG_ENOUGH =>
            {
                last.text = format!("{} {}", last.text, paragraph.text);
                last.lines.end = paragraph.lines.end;
            }
            Some(_) | None => joined.push(paragraph),
        }
    }
    joined
}

/// Splits after the first `count` words.
fn split_after(text: &str, count: usize) -> (&str, &str) {
    let mut passed = 0;
    let mut end = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        passed += words(word).count();
        if passed > count {
            break;
        }
        end += word.len();
    }
    text.split_at(end)
}

/// The words without case and punctuation: formatting may change only those two.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split_whitespace().filter_map(|word| {
        let letters: String = word
            .chars()
            .filter(|character| character.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect();
        (!letters.is_empty()).then_some(letters)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use auris_engine_core::text::{TextTranscript, TextUtterance};

    fn transcript() -> TextTranscript {
        let said = |text: &str| TextUtterance { text: text.into(), ..Default::default() };
        let utterances = vec![said("so hello there"), said("i am fine"), said("good bye")];
        TextTranscript { text: "so hello there i am fine good bye".into(), language: None, utterances }
    }

    fn formatted(answer: Value) -> Vec<String> {
        let plain = transcript();
        let transcript = PreparedTranscript::new(&plain);
        let window = Window { lines: 0..3, text: String::new() };
        checked(proposed(&serde_json::from_value(answer).unwrap(), &window), &transcript)
            .into_iter()
            .map(|paragraph| paragraph.text)
            .collect()
    }

    #[test]
    fn only_case_and_punctuation_may_change() {
        let answer = json!({"paragraphs": [
            {"first_line": 0, "text": "So, hello there!"}, {"first_line": 1, "text": "I am fine. Good night."},
        ]});
        assert_eq!(formatted(answer), ["So, hello there!", "i am fine good bye"]);
    }

    #[test]
    fn a_new_speaker_begins_a_new_paragraph() {
        let mut transcript = transcript();
        for (utterance, speaker) in transcript.utterances.iter_mut().zip(["A", "B", "B"]) {
            utterance.speaker = Some(speaker.into());
        }
        let whole = Draft { lines: 0..3, text: "So, hello - there! I am fine. Good bye.".into() };
        let parts = by_speaker(whole, &PreparedTranscript::new(&transcript));
        let found: Vec<_> = parts.into_iter().map(|part| (part.lines, part.text)).collect();
        assert_eq!(found, [(0..1, "So, hello - there!".into()), (1..3, "I am fine. Good bye.".into())]);
    }

    #[test]
    fn single_lines_of_a_speaker_become_a_paragraph() {
        let mut transcript = transcript();
        for (utterance, speaker) in transcript.utterances.iter_mut().zip(["A", "B", "B"]) {
            utterance.speaker = Some(speaker.into());
        }
        let line = |line: usize, text: &str| Draft { lines: line..line + 1, text: text.into() };
        let lines = vec![line(0, "So hello there."), line(1, "I am fine."), line(2, "Good bye.")];
        let found: Vec<_> = joined(lines, &PreparedTranscript::new(&transcript))
            .into_iter()
            .map(|one| (one.lines, one.text))
            .collect();
        assert_eq!(found, [(0..1, "So hello there.".into()), (1..3, "I am fine. Good bye.".into())]);
        let long = "word ".repeat(80);
        assert_eq!(
            joined(vec![line(1, &long), line(2, "Good bye.")], &PreparedTranscript::new(&transcript)).len(),
            2
        );
    }

    #[test]
    fn wrong_line_numbers_lose_no_line() {
        let answer = json!({"paragraphs": [
            {"first_line": 2, "text": "So hello there."}, {"first_line": 1, "text": "I am fine. Good bye."},
        ]});
        assert_eq!(formatted(answer).join(" ").split_whitespace().count(), 8);
    }
}
