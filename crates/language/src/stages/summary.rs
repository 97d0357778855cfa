//! Summaries: first of each window, then of these summaries together. They consist of whole sentences.

use auris_domain::step::output::Summary;
use auris_domain::step::spec::SummaryType;
use auris_engine_core::EngineError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::stage::{OWN_TOKENS, Stage, StageQuestion};
use crate::answer_guards::{repeats, whole_sentences, without_repetition};
use crate::conversation::Conversation;
use crate::lines::{Line, Lines};
use crate::prepared_transcript::PreparedTranscript;
use crate::windows::{self, Window};

const BRIEF: &str = include_str!("../prompts/summary_brief.md");
const BULLETS: &str = include_str!("../prompts/summary_bullets.md");
pub(super) const DETAILED: &str = include_str!("../prompts/summary_detailed.md");
pub(super) const STAGE: Stage = Stage::whole("summary", 1_024);

/// Maximum characters of summaries, and of a point.
const BRIEF_CHARACTERS: usize = 800;
const DETAILED_CHARACTERS: usize = 3_000;
const PART_CHARACTERS: usize = 1_500;
const BULLET_CHARACTERS: usize = 240;

const REPEATS: &str = "it repeats the same words again and again";

#[derive(Deserialize)]
struct TextAnswer {
    summary: String,
}

#[derive(Deserialize)]
struct BulletsAnswer {
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
    let limit = match kind {
        SummaryType::Brief => BRIEF_CHARACTERS,
        SummaryType::Detailed => DETAILED_CHARACTERS,
        SummaryType::Bullets => return bullets(conversation, window),
    };
    let text = text(conversation, window, prompt(kind), limit)?;
    Ok(Summary { kind, text, bullets: vec![] })
}

/// A summary as one text.
fn text(
    conversation: &mut Conversation<'_>,
    window: &Window,
    question: &str,
    limit: usize,
) -> Result<String, EngineError> {
    let flaw_of = |answer: &TextAnswer| text_flaw(&answer.summary);
    let asked = StageQuestion { text: &window.text, question, schema: one_text(limit), flaw_of: &flaw_of };
    let answer = STAGE.ask_plausible(conversation, &asked)?.answer;
    Ok(whole_text(&answer.summary, limit))
}

fn bullets(conversation: &mut Conversation<'_>, window: &Window) -> Result<Summary, EngineError> {
    let flaw_of = |answer: &BulletsAnswer| {
        let repeated = answer.bullets.iter().any(|bullet| repeats(bullet));
        repeated.then(|| REPEATS.into())
    };
    let asked = StageQuestion { text: &window.text, question: BULLETS, schema: points(), flaw_of: &flaw_of };
    let answer = STAGE.ask_plausible(conversation, &asked)?.answer;
    let mut bullets: Vec<String> = Vec::new();
    for bullet in answer.bullets.iter().map(|bullet| whole_bullet(bullet)) {
        if !bullet.is_empty() && !bullets.contains(&bullet) {
            bullets.push(bullet);
        }
    }
    let sentences: Vec<String> = bullets.iter().map(|bullet| as_sentence(bullet)).collect();
    Ok(Summary { kind: SummaryType::Bullets, text: sentences.join(" "), bullets })
}

/// What is wrong with a summary that cannot be repaired by leaving something out at its end.
fn text_flaw(text: &str) -> Option<String> {
    if repeats(text) {
        return Some(REPEATS.into());
    }
    let whole = whole_sentences(text).map_or(0, str::len);
    (2 * whole < text.trim().len())
        .then(|| "it ends in the middle of a sentence; write shorter sentences".into())
}

/// The complete sentences of a summary. If it has none, the whole text with a full stop, or with an ellipsis if the limit
/// of its length cut it off.
fn whole_text(text: &str, limit: usize) -> String {
    let text = without_repetition(text);
    match whole_sentences(&text) {
        Some(whole) => whole.to_owned(),
        None if text.chars().count() < limit => format!("{text}."),
        None => format!("{}…", text.rsplit_once(' ').map_or(text.as_str(), |(before, _)| before)),
    }
}

/// A point, which need not be a sentence. One that the limit cut is shortened like a text.
fn whole_bullet(bullet: &str) -> String {
    let point = without_repetition(bullet);
    if point.chars().count() < BULLET_CHARACTERS { point } else { whole_text(&point, BULLET_CHARACTERS) }
}

/// A point within a text: with a full stop unless it ends with a mark.
fn as_sentence(bullet: &str) -> String {
    if whole_sentences(bullet) == Some(bullet) {
        return bullet.to_owned();
    }
    format!("{}.", bullet.trim_end_matches([' ', ',', ';', ':']))
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
        parts.all.push(part(&text(conversation, window, DETAILED, PART_CHARACTERS)?));
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
            "type": "string", "minLength": 1, "maxLength": BULLET_CHARACTERS,
        }}},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_has_only_whole_sentences() {
        assert_eq!(whole_text("Dana calls. She wants to fly", 800), "Dana calls.");
        assert_eq!(whole_text("Dana calls", 800), "Dana calls.");
        assert_eq!(whole_text("Dana calls about her fl", 23), "Dana calls about her…");
        assert_eq!(text_flaw("Dana calls her bank. She wants to"), None);
        assert!(text_flaw("Dana calls. She wants to fly to Lisbon and then").is_some());
        assert!(text_flaw(&"She calls and she asks and ".repeat(8)).is_some());
    }

    #[test]
    fn a_point_need_not_be_a_sentence_unless_the_limit_cut_it() {
        assert_eq!(whole_bullet("a flight to Lisbon"), "a flight to Lisbon");
        let cut = format!("Dana calls. {}", "x".repeat(BULLET_CHARACTERS - 12));
        assert_eq!(whole_bullet(&cut), "Dana calls.");
    }

    #[test]
    fn a_point_ends_with_one_mark_when_it_is_part_of_a_text() {
        for (bullet, sentence) in [
            ("Diane is from New Jersey", "Diane is from New Jersey."),
            ("Sheila is from Texas.", "Sheila is from Texas."),
            ("She asks: \"why?\"", "She asks: \"why?\""),
            ("She calls Dr. Smith", "She calls Dr. Smith."),
            ("They agree;", "They agree."),
            ("เธอโทรมา", "เธอโทรมา"),
            ("她打电话。", "她打电话。"),
        ] {
            assert_eq!(as_sentence(bullet), sentence);
        }
    }
}
