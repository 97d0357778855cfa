//! Chapters: the model returns the first line of each chapter; positions and times come from the lines. Chapters that do
//! not cover the text, or are only a few words long, are asked for once more.

use auris_domain::step::output::{Chapter, Chapters};
use auris_engine_core::EngineError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::plausibility::{chapter_flaw, division_flaw, is_too_short};
use super::stage::{Stage, StageQuestion};
use crate::answer_guards::{repeats, whole_sentences, without_repetition};
use crate::conversation::{Conversation, JsonAnswer};
use crate::lines::Line;
use crate::prepared_transcript::PreparedTranscript;
use crate::windows::Window;

pub(super) const PROMPT: &str = include_str!("../prompts/chapters.md");
pub(super) const STAGE: Stage = Stage::whole("chapters", 2_048);

/// Lines per chapter. Limits the number of chapters, because small models make a chapter of each line otherwise.
const LINES: usize = 6;
/// Bounds on the limit of chapters per window.
const MIN_LIMIT: usize = 2;
const MAX_LIMIT: usize = 12;

#[derive(Deserialize)]
struct Answer {
    chapters: Vec<AnswerChapter>,
}

#[derive(Deserialize)]
struct AnswerChapter {
    first_line: usize,
    title: String,
    summary: String,
}

pub(super) fn run(
    conversation: &mut Conversation<'_>,
    transcript: &PreparedTranscript<'_>,
) -> Result<Chapters, EngineError> {
    let mut chapters: Vec<AnswerChapter> = Vec::new();
    for window in STAGE.windows(conversation, transcript)? {
        let lines = &transcript.lines.all[window.lines.clone()];
        let flaw_of = |answer: &Answer| {
            let starts = starts(answer, &window);
            chapter_flaw(&starts, lines)
                .or_else(|| division_flaw(&starts, lines))
                .or_else(|| repetition(answer))
        };
        let asked = StageQuestion {
            text: &window.text,
            question: PROMPT,
            schema: schema(&window),
            flaw_of: &flaw_of,
        };
        let JsonAnswer { answer, flaw: _ } = STAGE.ask_plausible(conversation, &asked)?;
        if let Some(flaw) = chapter_flaw(&starts(&answer, &window), lines) {
            let message = format!("The model's answer for `chapters` was implausible twice: {flaw}.");
            return Err(EngineError::BadAnswer { message, truncated: false });
        }
        chapters.extend(without_short(ordered(answer.chapters, &window), &window, lines));
    }
    // A window often continues the subject of the one before, and small models repeat themselves.
    chapters.dedup_by(|next, last| next.title.to_lowercase() == last.title.to_lowercase());
    Ok(Chapters { chapters: with_positions(&chapters, transcript) })
}

/// The first lines of the chapters, from the beginning of the window.
fn starts(answer: &Answer, window: &Window) -> Vec<usize> {
    let inside = answer.chapters.iter().filter(|chapter| window.lines.contains(&chapter.first_line));
    inside.map(|chapter| chapter.first_line - window.lines.start).collect()
}

fn repetition(answer: &Answer) -> Option<String> {
    let repeated = answer.chapters.iter().any(|chapter| repeats(&chapter.summary));
    repeated.then(|| "it repeats the same words again and again".into())
}

fn schema(window: &Window) -> Value {
    let limit = (window.lines.len() / LINES).clamp(MIN_LIMIT, MAX_LIMIT);
    json!({
        "type": "object", "additionalProperties": false, "required": ["chapters"],
        "properties": {"chapters": {"type": "array", "minItems": 1, "maxItems": limit, "items": {
            "type": "object", "additionalProperties": false, "required": ["first_line", "title", "summary"],
            "properties": {
                "first_line": {"type": "integer", "minimum": window.lines.start, "maximum": window.lines.end - 1},
                "title": {"type": "string", "minLength": 1, "maxLength": 80},
                "summary": {"type": "string", "minLength": 1, "maxLength": 400},
            },
        }}},
    })
}

/// Sorts the chapters and drops those with the same first line. The first one starts with the window.
fn ordered(mut chapters: Vec<AnswerChapter>, window: &Window) -> Vec<AnswerChapter> {
    for chapter in &mut chapters {
        chapter.title = chapter.title.trim().to_owned();
        let summary = without_repetition(&chapter.summary);
        chapter.summary = whole_sentences(&summary).unwrap_or(&summary).to_owned();
    }
    chapters.retain(|chapter| window.lines.contains(&chapter.first_line));
    chapters.sort_by_key(|chapter| chapter.first_line);
    chapters.dedup_by_key(|chapter| chapter.first_line);
    if let Some(first) = chapters.first_mut() {
        first.first_line = window.lines.start;
    }
    chapters
}

/// Joins chapters that are too short with the one before, or at the beginning with the one after. One is always left.
fn without_short(chapters: Vec<AnswerChapter>, window: &Window, lines: &[Line]) -> Vec<AnswerChapter> {
    let starts: Vec<usize> = chapters.iter().map(|chapter| chapter.first_line - window.lines.start).collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    let is_long = |(start, end): (&usize, usize)| !is_too_short(&lines[*start..end]);
    let are_long: Vec<bool> = starts.iter().zip(ends).map(is_long).collect();
    let kept = |number: usize| are_long[number] || number == 0 && !are_long.contains(&true);
    let chapters = chapters.into_iter().enumerate().filter(|(number, _)| kept(*number));
    let mut chapters: Vec<AnswerChapter> = chapters.map(|(_, chapter)| chapter).collect();
    if let Some(first) = chapters.first_mut() {
        first.first_line = window.lines.start;
    }
    chapters
}

fn with_positions(chapters: &[AnswerChapter], transcript: &PreparedTranscript<'_>) -> Vec<Chapter> {
    let lines = &transcript.lines.all;
    let with_position = |(number, chapter): (usize, &AnswerChapter)| {
        let next = chapters.get(number + 1);
        let end_line = next.map_or(lines.len(), |next| next.first_line);
        let end_char = next.map_or(transcript.lookup.len(), |next| lines[next.first_line].characters.start);
        let first = &lines[chapter.first_line];
        Chapter {
            title: chapter.title.clone(),
            summary: chapter.summary.clone(),
            start: first.start,
            end: lines[end_line - 1].end,
            start_char: if number == 0 { 0 } else { first.characters.start },
            end_char,
        }
    };
    chapters.iter().enumerate().map(with_position).collect()
}
