//! Formatting: the model proposes paragraphs, and one whose words are not the transcript's is left as it was spoken.

use std::ops::Range;

use serde_json::{Value, json};

use super::super::Reading;
use super::super::talk::Talk;
use super::super::windows::Window;
use super::Stage;
use crate::EngineError;

const PROMPT: &str = include_str!("../prompts/formatting.md");
const STAGE: Stage = Stage { name: "formatting", answer_tokens: 1_024, window_tokens: 512, window_lines: 30 };

struct Paragraph {
    lines: Range<usize>,
    text: String,
}

pub(super) fn run(talk: &mut Talk<'_>, reading: &Reading<'_>) -> Result<Value, EngineError> {
    let mut paragraphs = Vec::new();
    for window in STAGE.windows(talk, reading)? {
        let answer = STAGE.ask(talk, &window.text, PROMPT, schema(&window))?;
        paragraphs.extend(checked(proposed(&answer, &window), reading));
    }
    let text = paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect::<Vec<_>>().join("\n\n");
    let places = paragraphs.iter().map(|paragraph| {
        let lines = &reading.lines.all[paragraph.lines.clone()];
        let start = lines.first().map_or(0, |line| line.characters.start);
        let end = lines.last().map_or(start, |line| line.characters.end);
        json!({"text": paragraph.text, "start_char": start, "end_char": end})
    });
    Ok(json!({"text": text, "paragraphs": places.collect::<Vec<_>>()}))
}

fn schema(window: &Window) -> Value {
    json!({
        "type": "object", "additionalProperties": false, "required": ["paragraphs"],
        "properties": {"paragraphs": {"type": "array", "minItems": 1, "maxItems": 30, "items": {
            "type": "object", "additionalProperties": false, "required": ["first_line", "text"],
            "properties": {
                "first_line": {"type": "integer", "minimum": window.lines.start, "maximum": window.lines.end - 1},
                "text": {"type": "string", "minLength": 1},
            },
        }}},
    })
}

/// Paragraphs that cover every line of the window once, in order.
fn proposed(answer: &Value, window: &Window) -> Vec<Paragraph> {
    let mut starts: Vec<(usize, String)> = Vec::new();
    for paragraph in answer["paragraphs"].as_array().into_iter().flatten() {
        let line = paragraph["first_line"].as_u64().unwrap_or_default() as usize;
        let text = paragraph["text"].as_str().unwrap_or_default().trim();
        match starts.last_mut() {
            None => starts.push((window.lines.start, text.to_owned())),
            Some((last, _)) if line > *last && window.lines.contains(&line) => {
                starts.push((line, text.to_owned()))
            }
            // Two paragraphs of one line, or out of order: part of the one before.
            Some((_, before)) => *before = format!("{before} {text}"),
        }
    }
    let ends: Vec<usize> = starts.iter().skip(1).map(|(line, _)| *line).chain([window.lines.end]).collect();
    let paragraph = |((start, text), end): ((usize, String), usize)| Paragraph { lines: start..end, text };
    starts.into_iter().zip(ends).map(paragraph).collect()
}

fn checked(paragraphs: Vec<Paragraph>, reading: &Reading<'_>) -> Vec<Paragraph> {
    let check = |mut paragraph: Paragraph| {
        let lines = &reading.lines.all[paragraph.lines.clone()];
        let spoken = lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ");
        if !words(&paragraph.text).eq(words(&spoken)) {
            paragraph.text = spoken;
        }
        paragraph
    };
    paragraphs.into_iter().map(check).filter(|paragraph| !paragraph.text.is_empty()).collect()
}

/// The words without case and punctuation, which are all that formatting may change.
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
    use crate::text::{TextTranscript, TextUtterance};

    fn transcript() -> TextTranscript {
        let said = |text: &str| TextUtterance { text: text.into(), ..Default::default() };
        let utterances = vec![said("so hello there"), said("i am fine"), said("good bye")];
        TextTranscript { text: "so hello there i am fine good bye".into(), language: None, utterances }
    }

    fn formatted(answer: Value) -> Vec<String> {
        let transcript = transcript();
        let reading = Reading::new(&transcript);
        let window = Window { lines: 0..3, text: String::new() };
        checked(proposed(&answer, &window), &reading).into_iter().map(|paragraph| paragraph.text).collect()
    }

    #[test]
    fn only_case_and_punctuation_may_change() {
        let answer = json!({"paragraphs": [
            {"first_line": 0, "text": "So, hello there!"}, {"first_line": 1, "text": "I am fine. Good night."},
        ]});
        assert_eq!(formatted(answer), ["So, hello there!", "i am fine good bye"]);
    }

    #[test]
    fn a_model_that_counts_badly_loses_no_line() {
        let answer = json!({"paragraphs": [
            {"first_line": 2, "text": "So hello there."}, {"first_line": 1, "text": "I am fine. Good bye."},
        ]});
        assert_eq!(formatted(answer).join(" ").split_whitespace().count(), 8);
    }
}
