//! Summaries: of each window, then of the windows' summaries together.

use serde_json::{Value, json};

use super::super::Reading;
use super::super::lines::{Line, Lines};
use super::super::talk::Talk;
use super::super::windows;
use super::{OWN_TOKENS, Stage};
use crate::EngineError;
use crate::text::SummaryKind;

const BRIEF: &str = include_str!("../prompts/summary_brief.md");
const BULLETS: &str = include_str!("../prompts/summary_bullets.md");
const DETAILED: &str = include_str!("../prompts/summary_detailed.md");
const STAGE: Stage = Stage::whole("summary", 1_024);

pub(super) fn run(
    talk: &mut Talk<'_>,
    reading: &Reading<'_>,
    kind: SummaryKind,
) -> Result<Value, EngineError> {
    let mut windows = STAGE.windows(talk, reading)?;
    while windows.len() > 1 {
        let mut parts = Lines::default();
        for window in &windows {
            let answer = STAGE.ask(talk, &window.text, DETAILED, one_text(1_500))?;
            parts.all.push(part(answer["summary"].as_str().unwrap_or_default()));
        }
        let room = talk.room(STAGE.answer_tokens, OWN_TOKENS)?;
        let joined = windows::cut(&parts, talk.model, room, usize::MAX)?;
        // Each round is shorter, or the model does not summarise.
        if joined.len() >= windows.len() {
            break;
        }
        windows = joined;
    }
    let Some(window) = windows.first() else { return Ok(told(kind, "", vec![])) };
    let (prompt, schema) = match kind {
        SummaryKind::Brief => (BRIEF, one_text(800)),
        SummaryKind::Detailed => (DETAILED, one_text(3_000)),
        SummaryKind::Bullets => (BULLETS, points()),
    };
    let answer = STAGE.ask(talk, &window.text, prompt, schema)?;
    let bullets: Vec<&str> =
        answer["bullets"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::trim).collect();
    let text = answer["summary"].as_str().map_or_else(|| bullets.join(" "), |text| text.trim().to_owned());
    Ok(told(kind, &text, bullets))
}

fn told(kind: SummaryKind, text: &str, bullets: Vec<&str>) -> Value {
    json!({"type": kind, "text": text, "bullets": bullets})
}

fn part(text: &str) -> Line {
    Line { text: text.trim().to_owned(), speaker: None, characters: 0..0, start: None, end: None }
}

fn one_text(longest: usize) -> Value {
    json!({
        "type": "object", "additionalProperties": false, "required": ["summary"],
        "properties": {"summary": {"type": "string", "minLength": 1, "maxLength": longest}},
    })
}

fn points() -> Value {
    json!({
        "type": "object", "additionalProperties": false, "required": ["bullets"],
        "properties": {"bullets": {"type": "array", "minItems": 1, "maxItems": 7, "items": {
            "type": "string", "minLength": 1, "maxLength": 240,
        }}},
    })
}
