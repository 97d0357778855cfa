//! Entities: what the model names is looked up, and every place where it stands is told; what is nowhere is dropped.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::super::Reading;
use super::super::lines::Line;
use super::super::talk::Talk;
use super::Stage;
use crate::EngineError;

const PROMPT: &str = include_str!("../prompts/entities.md");
const STAGE: Stage = Stage { name: "entities", answer_tokens: 2_048, window_tokens: 1_536, window_lines: 80 };
/// The types where the caller names none: those of the built-in model.
const TYPES: [&str; 11] = [
    "person",
    "location",
    "organization",
    "date",
    "time",
    "money",
    "percent",
    "number",
    "phone",
    "email",
    "url",
];
/// Longer labels of speakers may be their names.
const LABEL: usize = 2;
/// Sure of a name that stands there letter for letter, less so where only the case differs.
const EXACT: f64 = 0.9;
const OTHER_CASE: f64 = 0.7;

pub(super) fn run(
    talk: &mut Talk<'_>,
    reading: &Reading<'_>,
    types: &[String],
) -> Result<Value, EngineError> {
    let types = wanted(types);
    let question = PROMPT.replace("{types}", &types.join(", ")).replace("{shape}", &shape(&types));
    let mut entities = Vec::new();
    let mut taken = HashSet::new();
    for window in STAGE.windows(talk, reading)? {
        let answer = STAGE.ask(talk, &window.text, &question, schema(&types))?;
        let lines = &reading.lines.all[window.lines.clone()];
        for named in named(&answer, &types).into_iter().filter(|named| !is_label(named.text, lines)) {
            for line in lines {
                entities.extend(mentions(reading, &named, line, &mut taken));
            }
        }
    }
    entities.sort_by_key(|entity| entity["start_char"].as_u64());
    Ok(json!({"entities": entities}))
}

/// The types to look for, each once.
fn wanted(types: &[String]) -> Vec<&str> {
    let mut seen = HashSet::new();
    let named = types.iter().map(String::as_str).filter(|kind| seen.insert(*kind));
    if types.is_empty() { TYPES.to_vec() } else { named.collect() }
}

/// A list for each type: asked for one list of everything, small models say that there is nothing.
fn schema(types: &[&str]) -> Value {
    let names = json!({"type": "array", "maxItems": 20, "items": {
        "type": "string", "minLength": 1, "maxLength": 80,
    }});
    let properties: Map<String, Value> = types.iter().map(|kind| ((*kind).into(), names.clone())).collect();
    json!({"type": "object", "additionalProperties": false, "required": types, "properties": properties})
}

fn shape(types: &[&str]) -> String {
    let lists = types.iter().map(|kind| format!("{}: [\"…\"]", json!(kind)));
    format!("{{{}}}", lists.collect::<Vec<_>>().join(", "))
}

/// What the model calls an entity.
struct Named<'a> {
    text: &'a str,
    kind: &'a str,
}

fn named<'a>(answer: &'a Value, types: &[&'a str]) -> Vec<Named<'a>> {
    let of_kind = |kind: &'a str| {
        let texts = answer[kind].as_array().into_iter().flatten().filter_map(Value::as_str);
        texts.map(move |text| Named { text: text.trim(), kind })
    };
    types.iter().copied().flat_map(of_kind).collect()
}

/// Whether this is what a line calls its speaker: models take `A` for a person, and it stands in every text.
fn is_label(text: &str, lines: &[Line]) -> bool {
    text.len() <= LABEL && lines.iter().any(|line| line.speaker.as_deref() == Some(text))
}

/// Where a line has what was named; a place is one entity only.
fn mentions(reading: &Reading<'_>, named: &Named<'_>, line: &Line, taken: &mut HashSet<usize>) -> Vec<Value> {
    let places = reading.source.find(named.text, line.characters.clone());
    let new = places.into_iter().filter(|place| place.clone().all(|character| taken.insert(character)));
    let entity = |place: std::ops::Range<usize>| {
        let text = reading.source.text(&place);
        let confidence = if text == named.text { EXACT } else { OTHER_CASE };
        json!({
            "text": text, "type": named.kind, "start_char": place.start, "end_char": place.end,
            "confidence": confidence, "start": line.start,
        })
    };
    new.map(entity).collect()
}
