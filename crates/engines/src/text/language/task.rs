//! A task in the caller's own words: its sources first, then what is asked of them.

use serde_json::{Value, json};

use super::chat::{AnswerFormat, ChatRequest, json_of};
use super::lines::{Line, Lines};
use super::talk::{Talk, repaired, system};
use super::windows;
use crate::text::{TaskFormat, TaskRequest, TaskSource};
use crate::{EngineError, Ignore, TextSink};

const NOTES: &str = include_str!("prompts/task_notes.md");
const DEFAULT: &str = "Say what is most important in it.";
/// What the service's own words around a task take at most, beside the task's.
const OWN_TOKENS: usize = 256;
/// The notes of one window of a long source.
const NOTE_TOKENS: u32 = 512;
/// An answer longer than this leaves no room to read; the task still may, where its sources are short.
const PLANNED_ANSWER: u32 = 2_048;

pub(super) fn run(
    talk: &mut Talk<'_>,
    task: &TaskRequest,
    sink: &mut dyn TextSink,
) -> Result<Value, EngineError> {
    let question = question(task);
    let mut sources = task.sources.iter().map(written).collect::<Vec<_>>().join("\n");
    let words = talk.model.count_tokens(&question)?;
    let answer = task.max_output_tokens.unwrap_or(PLANNED_ANSWER).min(PLANNED_ANSWER);
    let room = talk.room(answer, OWN_TOKENS + words)?;
    while talk.model.count_tokens(&sources)? > room {
        let shorter = notes(talk, task, &sources, room)?;
        if shorter.len() >= sources.len() {
            let message =
                "The task's sources are too long for the model, and its notes on them are no shorter.";
            return Err(EngineError::BadAnswer { message: message.into(), truncated: false });
        }
        sources = shorter;
    }
    let request = ChatRequest {
        system: system(),
        shared: &sources,
        question,
        format: format(&task.format),
        max_output_tokens: task.max_output_tokens.unwrap_or(PLANNED_ANSWER),
        temperature: task.temperature.unwrap_or(0.0),
        reasoning_effort: task.reasoning_effort.clone(),
    };
    let answer = talk.ask(&request, sink)?;
    let json = match task.format {
        TaskFormat::Text => Value::Null,
        TaskFormat::JsonSchema { .. } => json_of(&answer.text).unwrap_or(Value::Null),
    };
    Ok(json!({"text": answer.text, "json": json}))
}

fn format(format: &TaskFormat) -> AnswerFormat {
    match format {
        TaskFormat::Text => AnswerFormat::Text,
        TaskFormat::JsonSchema { name, schema, strict, .. } => {
            AnswerFormat::Json { name: name.clone(), schema: schema.clone(), constrained: *strict }
        }
    }
}

fn question(task: &TaskRequest) -> String {
    let mut question = task.instructions.clone().unwrap_or_else(|| DEFAULT.to_owned());
    if let TaskFormat::JsonSchema { name, description, schema, .. } = &task.format {
        let about = description.as_ref().map(|about| format!(" ({about})")).unwrap_or_default();
        question.push_str(&format!(
            "\n\nAnswer only with the JSON value `{name}`{about}, which matches this JSON Schema:\n{schema}"
        ));
    }
    match &task.flaw {
        Some(flaw) => repaired(&question, flaw),
        None => question,
    }
}

/// A source as a model reads it: utterances as lines of their speakers, text as it is, other values as JSON.
fn written(source: &TaskSource) -> String {
    let value = match &source.value {
        Value::String(text) => text.clone(),
        Value::Array(items) => spoken(items).unwrap_or_else(|| source.value.to_string()),
        other => other.to_string(),
    };
    format!("Source {}:\n{value}\n", source.pointer)
}

fn spoken(items: &[Value]) -> Option<String> {
    let line = |item: &Value| {
        let text = item["text"].as_str()?.trim();
        Some(match item["speaker"].as_str() {
            Some(speaker) => format!("{speaker}: {text}\n"),
            None => format!("{text}\n"),
        })
    };
    items.iter().map(line).collect()
}

/// Reads sources that are too long in windows, and writes down of each what the task needs.
fn notes(talk: &mut Talk<'_>, task: &TaskRequest, sources: &str, room: usize) -> Result<String, EngineError> {
    let asked = task.instructions.as_deref().unwrap_or(DEFAULT);
    let question = NOTES.trim().replace("{instructions}", asked);
    let mut notes = String::new();
    for window in windows::cut(&unnumbered(sources), talk.model, room, usize::MAX)? {
        let request = ChatRequest {
            system: system(),
            shared: &window.text,
            question: question.clone(),
            format: AnswerFormat::Text,
            max_output_tokens: NOTE_TOKENS,
            temperature: 0.0,
            reasoning_effort: None,
        };
        notes.push_str(talk.ask(&request, &mut Ignore)?.text.trim());
        notes.push('\n');
    }
    Ok(notes)
}

/// Lines of any text; a very long one is cut at spaces.
fn unnumbered(text: &str) -> Lines {
    let transcript = crate::text::TextTranscript { text: text.to_owned(), ..Default::default() };
    let all = Lines::of(&transcript).all.into_iter().map(|line| Line { speaker: None, ..line }).collect();
    Lines { all }
}
