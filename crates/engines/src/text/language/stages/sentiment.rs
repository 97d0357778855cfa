//! Sentiment: the model grades, document or line by line; the grades are the scores.

use serde_json::{Map, Value, json};

use super::super::Reading;
use super::super::talk::Talk;
use super::Stage;
use crate::EngineError;
use crate::text::Granularity;

const PROMPT: &str = include_str!("../prompts/sentiment.md");
const LINES_PROMPT: &str = include_str!("../prompts/sentiment_lines.md");
const DOCUMENT: Stage = Stage::whole("sentiment", 512);
const LINES: Stage = Stage { name: "sentiment", answer_tokens: 768, window_tokens: 2_048, window_lines: 20 };
/// So many words of a line stand in its key: a small model that sees only a number judges the wrong line.
const WORDS: usize = 6;
const GRADES: [(&str, f64); 5] = [
    ("very_negative", -0.9),
    ("negative", -0.5),
    ("neutral", 0.0),
    ("positive", 0.5),
    ("very_positive", 0.9),
];

pub(super) fn run(
    talk: &mut Talk<'_>,
    reading: &Reading<'_>,
    granularity: Granularity,
) -> Result<Value, EngineError> {
    // A transcript without utterances has no lines of its own to judge.
    let by_line = granularity == Granularity::Utterance && !reading.transcript.utterances.is_empty();
    let (stage, prompt) = if by_line { (&LINES, LINES_PROMPT) } else { (&DOCUMENT, PROMPT) };
    let mut utterances = Vec::new();
    let (mut sum, mut weight) = (0.0, 0.0);
    for window in stage.windows(talk, reading)? {
        let lines = if by_line { window.lines.clone() } else { 0..0 };
        let keys: Vec<String> = lines.clone().map(|line| key(line, &reading.lines.all[line].text)).collect();
        let answer = stage.ask(talk, &window.text, prompt, schema(&keys))?;
        let length = window.text.len() as f64;
        sum += score(&answer["overall"]) * length;
        weight += length;
        utterances.extend(lines.zip(&keys).map(|(line, key)| graded(&answer[key], line)));
    }
    let overall = if weight > 0.0 { sum / weight } else { 0.0 };
    Ok(json!({"granularity": granularity, "document": label(overall), "utterances": utterances}))
}

/// The line's number and its first words.
fn key(line: usize, text: &str) -> String {
    let plain = |word: &str| word.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>();
    let words: Vec<String> = text.split_whitespace().map(plain).take(WORDS).collect();
    format!("{line} {}", words.join(" "))
}

/// Each line has its key, so that none is left out or judged twice.
fn schema(lines: &[String]) -> Value {
    let grade = json!({"type": "string", "enum": GRADES.map(|(name, _)| name)});
    let mut required = lines.to_vec();
    required.push("overall".into());
    let properties: Map<String, Value> = required.iter().map(|key| (key.clone(), grade.clone())).collect();
    json!({"type": "object", "additionalProperties": false, "required": required, "properties": properties})
}

fn graded(grade: &Value, line: usize) -> Value {
    let mut graded = label(score(grade));
    graded["index"] = json!(line);
    graded
}

fn score(grade: &Value) -> f64 {
    GRADES.iter().find(|(name, _)| grade == name).map_or(0.0, |(_, score)| *score)
}

fn label(score: f64) -> Value {
    let label = match score {
        score if score > 0.2 => "positive",
        score if score < -0.2 => "negative",
        _ => "neutral",
    };
    json!({"label": label, "score": (score * 100.0).round() / 100.0})
}
