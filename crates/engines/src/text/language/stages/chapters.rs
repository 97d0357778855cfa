//! Chapters: the model names first lines, places and times come from the lines themselves.

use serde_json::{Value, json};

use super::super::Reading;
use super::super::talk::Talk;
use super::super::windows::Window;
use super::Stage;
use crate::EngineError;

const PROMPT: &str = include_str!("../prompts/chapters.md");
const STAGE: Stage = Stage::whole("chapters", 2_048);

/// A chapter has about so many lines at least: left alone, small models give each line a chapter.
const LINES: usize = 6;
/// So many chapters may be in every window, however short, and no more in the longest.
const FEWEST: usize = 2;
const MOST: usize = 12;

struct Chapter {
    first_line: usize,
    title: String,
    summary: String,
}

pub(super) fn run(talk: &mut Talk<'_>, reading: &Reading<'_>) -> Result<Value, EngineError> {
    let mut chapters: Vec<Chapter> = Vec::new();
    for window in STAGE.windows(talk, reading)? {
        let answer = STAGE.ask(talk, &window.text, PROMPT, schema(&window))?;
        chapters.extend(found(&answer, &window));
    }
    // A window often goes on with the last one's subject, and small models repeat themselves.
    chapters.dedup_by(|next, last| next.title.to_lowercase() == last.title.to_lowercase());
    Ok(json!({"chapters": placed(&chapters, reading)}))
}

fn schema(window: &Window) -> Value {
    let most = (window.lines.len() / LINES).clamp(FEWEST, MOST);
    json!({
        "type": "object", "additionalProperties": false, "required": ["chapters"],
        "properties": {"chapters": {"type": "array", "minItems": 1, "maxItems": most, "items": {
            "type": "object", "additionalProperties": false, "required": ["first_line", "title", "summary"],
            "properties": {
                "first_line": {"type": "integer", "minimum": window.lines.start, "maximum": window.lines.end - 1},
                "title": {"type": "string", "minLength": 1, "maxLength": 80},
                "summary": {"type": "string", "minLength": 1, "maxLength": 400},
            },
        }}},
    })
}

/// In order, none at the line of another, the first at the window's first line.
fn found(answer: &Value, window: &Window) -> Vec<Chapter> {
    let text = |chapter: &Value, name: &str| chapter[name].as_str().unwrap_or_default().trim().to_owned();
    let read = |chapter: &Value| Chapter {
        first_line: chapter["first_line"].as_u64().unwrap_or_default() as usize,
        title: text(chapter, "title"),
        summary: text(chapter, "summary"),
    };
    let mut chapters: Vec<Chapter> = answer["chapters"].as_array().into_iter().flatten().map(read).collect();
    chapters.retain(|chapter| window.lines.contains(&chapter.first_line));
    chapters.sort_by_key(|chapter| chapter.first_line);
    chapters.dedup_by_key(|chapter| chapter.first_line);
    if let Some(first) = chapters.first_mut() {
        first.first_line = window.lines.start;
    }
    chapters
}

fn placed(chapters: &[Chapter], reading: &Reading<'_>) -> Vec<Value> {
    let lines = &reading.lines.all;
    let place = |(number, chapter): (usize, &Chapter)| {
        let end_line = chapters.get(number + 1).map_or(lines.len(), |next| next.first_line);
        let (first, last) = (&lines[chapter.first_line], &lines[end_line - 1]);
        let end_char = chapters
            .get(number + 1)
            .map_or(reading.source.len(), |next| lines[next.first_line].characters.start);
        json!({
            "title": chapter.title, "summary": chapter.summary,
            "start": first.start, "end": last.end,
            "start_char": if number == 0 { 0 } else { first.characters.start }, "end_char": end_char,
        })
    };
    chapters.iter().enumerate().map(place).collect()
}
