//! Topics: general subjects in the model's words, the same ones of several windows put together.

use serde_json::{Value, json};

use super::super::Reading;
use super::super::talk::Talk;
use super::Stage;
use crate::EngineError;

const PROMPT: &str = include_str!("../prompts/topics.md");
const STAGE: Stage = Stage::whole("topics", 512);
const RELEVANCE: [(&str, f64); 3] = [("high", 0.9), ("medium", 0.6), ("low", 0.3)];

pub(super) fn run(talk: &mut Talk<'_>, reading: &Reading<'_>) -> Result<Value, EngineError> {
    let mut topics: Vec<(String, f64)> = Vec::new();
    for window in STAGE.windows(talk, reading)? {
        let answer = STAGE.ask(talk, &window.text, PROMPT, schema())?;
        for topic in answer["topics"].as_array().into_iter().flatten() {
            let label = topic["label"].as_str().unwrap_or_default().trim().to_lowercase();
            let score = RELEVANCE
                .iter()
                .find(|(name, _)| topic["relevance"] == *name)
                .map_or(0.3, |(_, score)| *score);
            match topics.iter_mut().find(|(known, _)| *known == label) {
                Some((_, known)) => *known = known.max(score),
                None if label.is_empty() => {}
                None => topics.push((label, score)),
            }
        }
    }
    topics.sort_by(|one, other| other.1.total_cmp(&one.1));
    let told = topics.into_iter().take(10).map(|(label, score)| json!({"label": label, "score": score}));
    Ok(json!({"topics": told.collect::<Vec<_>>()}))
}

fn schema() -> Value {
    json!({
        "type": "object", "additionalProperties": false, "required": ["topics"],
        "properties": {"topics": {"type": "array", "minItems": 1, "maxItems": 5, "items": {
            "type": "object", "additionalProperties": false, "required": ["label", "relevance"],
            "properties": {
                "label": {"type": "string", "minLength": 1, "maxLength": 40},
                "relevance": {"type": "string", "enum": RELEVANCE.map(|(name, _)| name)},
            },
        }}},
    })
}
