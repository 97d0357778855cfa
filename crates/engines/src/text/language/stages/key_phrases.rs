//! Key phrases: only those that stand in the text, counted there, ranked as the model ranked them.

use serde_json::{Value, json};

use super::super::Reading;
use super::super::talk::Talk;
use super::Stage;
use crate::EngineError;

const PROMPT: &str = include_str!("../prompts/key_phrases.md");
const STAGE: Stage = Stage::whole("key_phrases", 1_024);
const COUNT: usize = 15;

pub(super) fn run(talk: &mut Talk<'_>, reading: &Reading<'_>) -> Result<Value, EngineError> {
    let question = PROMPT.replace("{count}", &COUNT.to_string());
    let mut ranked: Vec<(f64, String)> = Vec::new();
    for window in STAGE.windows(talk, reading)? {
        let answer = STAGE.ask(talk, &window.text, &question, schema())?;
        let phrases = answer["key_phrases"].as_array().cloned().unwrap_or_default();
        let count = phrases.len() as f64;
        for (rank, phrase) in phrases.iter().filter_map(Value::as_str).enumerate() {
            add(&mut ranked, phrase.trim(), 1.0 - rank as f64 / count);
        }
    }
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
    let told = ranked.into_iter().filter_map(|(score, phrase)| told(reading, score, &phrase));
    Ok(json!({"key_phrases": told.take(COUNT).collect::<Vec<_>>()}))
}

fn schema() -> Value {
    json!({
        "type": "object", "additionalProperties": false, "required": ["key_phrases"],
        "properties": {"key_phrases": {"type": "array", "maxItems": COUNT, "items": {
            "type": "string", "minLength": 1, "maxLength": 60,
        }}},
    })
}

/// The same phrase of another window keeps its better rank.
fn add(ranked: &mut Vec<(f64, String)>, phrase: &str, score: f64) {
    match ranked.iter_mut().find(|(_, known)| known.to_lowercase() == phrase.to_lowercase()) {
        Some((known, _)) => *known = known.max(score),
        None => ranked.push((score, phrase.to_owned())),
    }
}

fn told(reading: &Reading<'_>, score: f64, phrase: &str) -> Option<Value> {
    let places = reading.source.find(phrase, 0..reading.source.len());
    let text = reading.source.text(places.first()?);
    Some(json!({"text": text, "score": (score * 100.0).round() / 100.0, "count": places.len()}))
}
