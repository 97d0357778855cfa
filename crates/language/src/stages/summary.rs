//! Summaries: first of each window, then of these summaries together.

use auris_domain::step::output::Summary;
use auris_domain::step::spec::SummaryType;
use auris_engine_core::EngineError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::stage::{OWN_TOKENS, Stage};
use crate::conversation::Conversation;
use crate::lines::{Line, Lines};
use crate::prepared_transcript::PreparedTranscript;
use crate::windows::{self, Window};

const BRIEF: &str = include_str!("../prompts/summary_brief.md");
const BULLETS: &str = include_str!("../prompts/summary_bullets.md");
pub(super) const DETAILED: &str = include_str!("../prompts/summary_detailed.md");
pub(super) const STAGE: Stage = Stage::whole("summary", 1_024);

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    summary: Option<String>,
    #[serde(default)]
    bullets: Vec<String>,
}

pub(super) fn run(
    conversation: &mut Conversation<'_>,
    transcript: &PreparedTranscript<'_>,
    kind: SummaryType,
) -> Result<Summary, EngineError> {
    let mut windows = STAGE.windows(conversation, transcript)?;
    while windows.len() > 1 {
        let shorter = summarize_each(conversation, &windows)?;
        // Stops if the model does not shorten the text.
        if shorter.len() >= windows.len() {
            break;
        }
        windows = shorter;
    }
    let Some(window) = windows.first() else {
        return Ok(Summary { kind, text: String::new(), bullets: vec![] });
    };
    let schema = match kind {
        SummaryType::Brief => one_text(800),
        SummaryType::Detailed => one_text(3_000),
        SummaryType::Bullets => points(),
    };
    let answer: Answer = STAGE.ask(conversation, &window.text, prompt(kind), schema)?;
    let bullets: Vec<String> = answer.bullets.iter().map(|bullet| bullet.trim().to_owned()).collect();
    let text = answer.summary.map_or_else(|| bullets.join(" "), |text| text.trim().to_owned());
    Ok(Summary { kind, text, bullets })
}

pub(super) fn prompt(kind: SummaryType) -> &'static str {
    match kind {
        SummaryType::Brief => BRIEF,
        SummaryType::Detailed => DETAILED,
        SummaryType::Bullets => BULLETS,
    }
}

/// Summarizes each window and puts the summaries into as few windows as possible.
fn summarize_each(
    conversation: &mut Conversation<'_>,
    windows: &[Window],
) -> Result<Vec<Window>, EngineError> {
    let mut parts = Lines::default();
    for window in windows {
        let answer: Answer = STAGE.ask(conversation, &window.text, DETAILED, one_text(1_500))?;
        parts.all.push(part(&answer.summary.unwrap_or_default()));
    }
    let room = conversation.room(STAGE.answer_tokens, OWN_TOKENS)?;
    windows::cut(&parts, conversation.model, room, usize::MAX)
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
