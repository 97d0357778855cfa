//! Sentiment: the model grades the document or each line. The grades become scores.

use std::collections::HashMap;

use auris_domain::step::output::{Sentiment, SentimentLabel, SentimentScore, UtteranceSentiment};
use auris_domain::step::spec::Granularity;
use auris_engine_core::{EngineError, round_to_hundredths};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::stage::Stage;
use crate::conversation::Conversation;
use crate::prepared_transcript::PreparedTranscript;

const PROMPT: &str = include_str!("../prompts/sentiment.md");
const LINES_PROMPT: &str = include_str!("../prompts/sentiment_lines.md");
const DOCUMENT: Stage = Stage::whole("sentiment", 512);
const LINES: Stage = Stage { name: "sentiment", answer_tokens: 768, window_tokens: 2_048, window_lines: 20 };
/// Words of a line in its key: with only a number, small models grade the wrong line.
const WORDS: usize = 6;
/// The key of the whole text's grade.
const OVERALL: &str = "overall";

/// A grade of the model.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Grade {
    VeryNegative,
    Negative,
    Neutral,
    Positive,
    VeryPositive,
}

impl Grade {
    const ALL: [Self; 5] =
        [Self::VeryNegative, Self::Negative, Self::Neutral, Self::Positive, Self::VeryPositive];

    fn score(self) -> f64 {
        match self {
            Self::VeryNegative => -0.9,
            Self::Negative => -0.5,
            Self::Neutral => 0.0,
            Self::Positive => 0.5,
            Self::VeryPositive => 0.9,
        }
    }
}

pub(super) fn run(
    conversation: &mut Conversation<'_>,
    transcript: &PreparedTranscript<'_>,
    granularity: Granularity,
) -> Result<Sentiment, EngineError> {
    let by_line = grades_lines(transcript, granularity);
    let (stage, prompt) = asked(by_line);
    let mut utterances = Vec::new();
    let mut sum = 0.0;
    let mut weight = 0.0;
    for window in stage.windows(conversation, transcript)? {
        let lines = if by_line { window.lines.clone() } else { 0..0 };
        let keys: Vec<String> =
            lines.clone().map(|line| key(line, &transcript.lines.all[line].text)).collect();
        let grades: HashMap<String, Grade> = stage.ask(conversation, &window.text, prompt, schema(&keys))?;
        let length = window.text.len() as f64;
        sum += score(&grades, OVERALL) * length;
        weight += length;
        utterances.extend(lines.zip(&keys).map(|(line, key)| graded(score(&grades, key), line)));
    }
    let overall = if weight > 0.0 { sum / weight } else { 0.0 };
    Ok(Sentiment { granularity, document: labeled(overall), utterances })
}

/// A transcript without utterances has no lines to grade.
pub(super) fn grades_lines(transcript: &PreparedTranscript<'_>, granularity: Granularity) -> bool {
    granularity == Granularity::Utterance && !transcript.transcript.utterances.is_empty()
}

pub(super) fn asked(by_line: bool) -> (&'static Stage, &'static str) {
    if by_line { (&LINES, LINES_PROMPT) } else { (&DOCUMENT, PROMPT) }
}

/// The line's number and its first words.
fn key(line: usize, text: &str) -> String {
    let plain = |word: &str| word.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>();
    let words: Vec<String> = text.split_whitespace().map(plain).take(WORDS).collect();
    format!("{line} {}", words.join(" "))
}

/// Each line has its own required key, so that none is omitted or graded twice.
fn schema(lines: &[String]) -> Value {
    let grade = json!({"type": "string", "enum": Grade::ALL});
    let mut required = lines.to_vec();
    required.push(OVERALL.into());
    let properties: Map<String, Value> = required.iter().map(|key| (key.clone(), grade.clone())).collect();
    json!({"type": "object", "additionalProperties": false, "required": required, "properties": properties})
}

fn graded(score: f64, line: usize) -> UtteranceSentiment {
    UtteranceSentiment { index: line, score: labeled(score), start_char: None, end_char: None }
}

fn score(grades: &HashMap<String, Grade>, key: &str) -> f64 {
    grades.get(key).map_or(0.0, |grade| grade.score())
}

fn labeled(score: f64) -> SentimentScore {
    let label = match score {
        score if score > 0.2 => SentimentLabel::Positive,
        score if score < -0.2 => SentimentLabel::Negative,
        _ => SentimentLabel::Neutral,
    };
    SentimentScore { label, score: round_to_hundredths(score) }
}
