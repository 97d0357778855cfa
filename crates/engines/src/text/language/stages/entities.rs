//! Entities: what the model names is looked up, and every place where it stands is told; what is nowhere is dropped.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::super::Reading;
use super::super::talk::Talk;
use super::Stage;
use crate::EngineError;

const PROMPT: &str = include_str!("../prompts/entities.md");
const STAGE: Stage = Stage { name: "entities", answer_tokens: 2_048, window_tokens: 1_536, window_lines: 80 };
/// The types where the caller names none.
const TYPES: [&str; 11] = [
    "person",
    "organization",
    "location",
    "product",
    "event",
    "date",
    "time",
    "money",
    "email",
    "url",
    "phone",
];
/// Sure of a name that stands there letter for letter, less so where only the case differs.
const EXACT: f64 = 0.9;
const OTHER_CASE: f64 = 0.7;

pub(super) fn run(
    talk: &mut Talk<'_>,
    reading: &Reading<'_>,
    types: &[String],
) -> Result<Value, EngineError> {
    let types: Vec<&str> =
        if types.is_empty() { TYPES.to_vec() } else { types.iter().map(String::as_str).collect() };
    let question = PROMPT.replace("{types}", &types.join(", "));
    let mut entities = Vec::new();
    let mut taken = HashSet::new();
    for window in STAGE.windows(talk, reading)? {
        let answer = STAGE.ask(talk, &window.text, &question, schema(&types))?;
        let lines = &reading.lines.all[window.lines.clone()];
        for named in answer["entities"].as_array().into_iter().flatten() {
            for line in lines {
                entities.extend(mentions(reading, named, line, &mut taken));
            }
        }
    }
    entities.sort_by_key(|entity| entity["start_char"].as_u64());
    Ok(json!({"entities": entities}))
}

fn schema(types: &[&str]) -> Value {
    json!({
        "type": "object", "additionalProperties": false, "required": ["entities"],
        "properties": {"entities": {"type": "array", "maxItems": 40, "items": {
            "type": "object", "additionalProperties": false, "required": ["text", "type"],
            "properties": {
                "text": {"type": "string", "minLength": 1, "maxLength": 80},
                "type": {"type": "string", "enum": types},
            },
        }}},
    })
}

/// Where a line has what was named; a place is one entity only.
fn mentions(
    reading: &Reading<'_>,
    named: &Value,
    line: &super::super::lines::Line,
    taken: &mut HashSet<usize>,
) -> Vec<Value> {
    let quote = named["text"].as_str().unwrap_or_default();
    let places = reading.source.find(quote, line.characters.clone());
    let new = places.into_iter().filter(|place| place.clone().all(|character| taken.insert(character)));
    let entity = |place: std::ops::Range<usize>| {
        let text = reading.source.text(&place);
        let confidence = if text == quote.trim() { EXACT } else { OTHER_CASE };
        json!({
            "text": text, "type": named["type"], "start_char": place.start, "end_char": place.end,
            "confidence": confidence, "start": line.start,
        })
    };
    new.map(entity).collect()
}
