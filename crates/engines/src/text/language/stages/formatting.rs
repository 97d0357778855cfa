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

/// A paragraph has about so many lines at least: left alone, small models give each line its own.
const LINES: usize = 2;
/// Bytes of a paragraph that gets no further line.
const LONG_ENOUGH: usize = 400;

struct Paragraph {
    lines: Range<usize>,
    text: String,
}

pub(super) fn run(talk: &mut Talk<'_>, reading: &Reading<'_>) -> Result<Value, EngineError> {
    let mut paragraphs = Vec::new();
    for window in STAGE.windows(talk, reading)? {
        let text = reading.lines.written_unnamed(window.lines.clone());
        let answer = STAGE.ask(talk, &text, PROMPT, schema(&window))?;
        let checked = checked(proposed(&answer, &window), reading);
        paragraphs.extend(checked.into_iter().flat_map(|paragraph| by_speaker(paragraph, reading)));
    }
    let paragraphs = joined(paragraphs, reading);
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

/// A paragraph has one speaker, whatever the model made of it: its words are those of its lines, so they can be counted.
fn by_speaker(paragraph: Paragraph, reading: &Reading<'_>) -> Vec<Paragraph> {
    let lines = &reading.lines.all[paragraph.lines.clone()];
    let mut rest = paragraph.text.as_str();
    let mut first = paragraph.lines.start;
    let mut parts = Vec::new();
    for turn in lines.chunk_by(|one, next| one.speaker == next.speaker) {
        let spoken: usize = turn.iter().map(|line| words(&line.text).count()).sum();
        let (text, left) = split_after(rest, spoken);
        parts.push(Paragraph { lines: first..first + turn.len(), text: text.trim().to_owned() });
        first += turn.len();
        rest = left;
    }
    parts.retain(|part| !part.text.is_empty());
    parts
}

/// Single lines of one speaker, one after the other, are one paragraph until it is long enough.
fn joined(paragraphs: Vec<Paragraph>, reading: &Reading<'_>) -> Vec<Paragraph> {
    let speaker = |line: usize| reading.lines.all[line].speaker.as_deref();
    let mut joined: Vec<Paragraph> = Vec::new();
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

/// Cuts before the word that comes after so many.
fn split_after(text: &str, count: usize) -> (&str, &str) {
    let (mut passed, mut end) = (0, 0);
    for word in text.split_inclusive(char::is_whitespace) {
        passed += words(word).count();
        if passed > count {
            break;
        }
        end += word.len();
    }
    text.split_at(end)
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
    fn a_new_speaker_begins_a_new_paragraph() {
        let mut transcript = transcript();
        for (utterance, speaker) in transcript.utterances.iter_mut().zip(["A", "B", "B"]) {
            utterance.speaker = Some(speaker.into());
        }
        let whole = Paragraph { lines: 0..3, text: "So, hello - there! I am fine. Good bye.".into() };
        let parts = by_speaker(whole, &Reading::new(&transcript));
        let told: Vec<_> = parts.into_iter().map(|part| (part.lines, part.text)).collect();
        assert_eq!(told, [(0..1, "So, hello - there!".into()), (1..3, "I am fine. Good bye.".into())]);
    }

    #[test]
    fn single_lines_of_a_speaker_become_a_paragraph() {
        let mut transcript = transcript();
        for (utterance, speaker) in transcript.utterances.iter_mut().zip(["A", "B", "B"]) {
            utterance.speaker = Some(speaker.into());
        }
        let line = |line: usize, text: &str| Paragraph { lines: line..line + 1, text: text.into() };
        let lines = vec![line(0, "So hello there."), line(1, "I am fine."), line(2, "Good bye.")];
        let told: Vec<_> =
            joined(lines, &Reading::new(&transcript)).into_iter().map(|one| (one.lines, one.text)).collect();
        assert_eq!(told, [(0..1, "So hello there.".into()), (1..3, "I am fine. Good bye.".into())]);
        let long = "word ".repeat(80);
        assert_eq!(joined(vec![line(1, &long), line(2, "Good bye.")], &Reading::new(&transcript)).len(), 2);
    }

    #[test]
    fn a_model_that_counts_badly_loses_no_line() {
        let answer = json!({"paragraphs": [
            {"first_line": 2, "text": "So hello there."}, {"first_line": 1, "text": "I am fine. Good bye."},
        ]});
        assert_eq!(formatted(answer).join(" ").split_whitespace().count(), 8);
    }
}
