//! Entities: every mention of a text that the model returns is looked up in the transcript. Texts without a mention are
//! dropped.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use auris_domain::step::output::{Entities, Entity};
use auris_engine_core::EngineError;
use serde_json::{Map, Value, json};

use super::plausibility::has_entities;
use super::stage::{Stage, StageQuestion};
use crate::conversation::Conversation;
use crate::lines::Line;
use crate::prepared_transcript::PreparedTranscript;

const PROMPT: &str = include_str!("../prompts/entities.md");
pub(super) const STAGE: Stage =
    Stage { name: "entities", answer_tokens: 2_048, window_tokens: 1_536, window_lines: 80 };
/// The default types: those of the built-in model.
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
/// Maximum length of a speaker label such as `A`; longer labels may be names.
const LABEL: usize = 2;
/// Confidence of a mention that equals the model's text, and of one that differs in case.
const EXACT: f64 = 0.9;
const OTHER_CASE: f64 = 0.7;

/// The names of each type.
type Names = HashMap<String, Vec<String>>;

pub(super) fn run(
    conversation: &mut Conversation<'_>,
    transcript: &PreparedTranscript<'_>,
    types: &[String],
) -> Result<Entities, EngineError> {
    let question = question(types);
    let types = wanted(types);
    let mut entities: Vec<Entity> = Vec::new();
    let mut taken = HashSet::new();
    for window in STAGE.windows(conversation, transcript)? {
        let lines = &transcript.lines.all[window.lines.clone()];
        let flaw_of = |answer: &Names| missing_names(answer, &types, transcript, lines);
        let asked = StageQuestion {
            text: &window.text,
            question: &question,
            schema: schema(&types),
            flaw_of: &flaw_of,
        };
        let answer = STAGE.ask_plausible(conversation, &asked)?.answer;
        for named in named(&answer, &types).into_iter().filter(|named| !is_label(named.text, lines)) {
            for line in lines {
                entities.extend(mentions(transcript, &named, line, &mut taken));
            }
        }
    }
    entities.sort_by_key(|entity| entity.start_char);
    Ok(Entities { entities })
}

/// The error of an answer without a name that is in the lines, although they have some.
fn missing_names(
    answer: &Names,
    types: &[&str],
    transcript: &PreparedTranscript<'_>,
    lines: &[Line],
) -> Option<String> {
    let is_in = |name: &Named<'_>, line: &Line| {
        !transcript.lookup.find(name.text, line.characters.clone()).is_empty()
    };
    let is_found = |name: &Named<'_>| lines.iter().any(|line| is_in(name, line));
    let is_missing = has_entities(lines, types) && !named(answer, types).iter().any(is_found);
    is_missing
        .then(|| "it has nothing that the lines name, although they name something; copy it from them".into())
}

pub(super) fn question(types: &[String]) -> String {
    let types = wanted(types);
    PROMPT.replace("{types}", &types.join(", ")).replace("{shape}", &shape(&types))
}

/// The types to look for, each once.
fn wanted(types: &[String]) -> Vec<&str> {
    let mut seen = HashSet::new();
    let named = types.iter().map(String::as_str).filter(|kind| seen.insert(*kind));
    if types.is_empty() { TYPES.to_vec() } else { named.collect() }
}

/// One list per type: asked for one list of all entities, small models return an empty one.
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

/// An entity in the model's answer.
struct Named<'a> {
    text: &'a str,
    kind: &'a str,
}

fn named<'a>(answer: &'a Names, types: &[&'a str]) -> Vec<Named<'a>> {
    let of_kind = |kind: &'a str| {
        let texts = answer.get(kind).into_iter().flatten();
        texts.map(move |text| Named { text: text.trim(), kind })
    };
    types.iter().copied().flat_map(of_kind).collect()
}

/// Whether the text is a speaker label: models report `A` as a person, and the letter occurs in every text.
fn is_label(text: &str, lines: &[Line]) -> bool {
    text.len() <= LABEL && lines.iter().any(|line| line.speaker.as_deref() == Some(text))
}

/// The mentions in a line. Each character belongs to at most one entity.
fn mentions(
    transcript: &PreparedTranscript<'_>,
    named: &Named<'_>,
    line: &Line,
    taken: &mut HashSet<usize>,
) -> Vec<Entity> {
    let found = transcript.lookup.find(named.text, line.characters.clone());
    let new = found.into_iter().filter(|range| range.clone().all(|character| taken.insert(character)));
    let entity = |range: Range<usize>| {
        let text = transcript.lookup.text(&range);
        let confidence = if text == named.text { EXACT } else { OTHER_CASE };
        Entity {
            text,
            kind: named.kind.to_owned(),
            start_char: range.start,
            end_char: range.end,
            confidence: Some(confidence),
            start: line.start,
        }
    };
    new.map(entity).collect()
}
