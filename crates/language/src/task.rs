//! Tasks with the caller's own instructions: the prompt contains the sources first, then the instructions.

use auris_engine_core::text::{TaskFormat, TaskRequest, TaskSource, TextTranscript};
use auris_engine_core::{EngineError, Ignore, TextSink};
use serde_json::{Value, json};

use super::chat::{AnswerFormat, ChatRequest, json_of};
use super::conversation::{Conversation, repaired, system};
use super::lines::{Line, Lines};
use super::windows;

const NOTES: &str = include_str!("prompts/task_notes.md");
/// The instructions of a task that has none.
const DEFAULT: &str = "Say what is most important in it.";
/// Maximum tokens of our own text around a task.
const OWN_TOKENS: usize = 256;
/// Maximum tokens of the notes on one window of a long source.
const NOTE_TOKENS: u32 = 512;
/// Tokens reserved for the answer. A task may ask for more, if its sources are short.
const PLANNED_ANSWER: u32 = 2_048;

pub(super) fn run(
    conversation: &mut Conversation<'_>,
    task: &TaskRequest,
    sink: &mut dyn TextSink,
) -> Result<Value, EngineError> {
    let question = question(task);
    let mut sources = task.sources.iter().map(written).collect::<Vec<_>>().join("\n");
    let words = conversation.model.count_tokens(&question)?;
    let answer = task.max_output_tokens.unwrap_or(PLANNED_ANSWER).min(PLANNED_ANSWER);
    let room = conversation.room(answer, OWN_TOKENS + words)?;
    while conversation.model.count_tokens(&sources)? > room {
        let shorter = notes(conversation, task, &sources, room)?;
        if shorter.len() >= sources.len() {
            let message =
                "The task's sources are too long for the model, and its notes on them are not shorter.";
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
    let answer = conversation.ask(&request, sink)?;
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

/// A source in the prompt: utterances as lines with their speakers, text as it is, other values as JSON.
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
        let text = item.get("text")?.as_str()?.trim();
        Some(match item.get("speaker").and_then(Value::as_str) {
            Some(speaker) => format!("{speaker}: {text}\n"),
            None => format!("{text}\n"),
        })
    };
    items.iter().map(line).collect()
}

/// Shortens sources that are too long: asks for notes on each window for the task.
fn notes(
    conversation: &mut Conversation<'_>,
    task: &TaskRequest,
    sources: &str,
    room: usize,
) -> Result<String, EngineError> {
    let asked = task.instructions.as_deref().unwrap_or(DEFAULT);
    let question = NOTES.trim().replace("{instructions}", asked);
    let mut notes = String::new();
    for window in windows::cut(&unnumbered(sources), conversation.model, room, usize::MAX)? {
        let request = ChatRequest {
            system: system(),
            shared: &window.text,
            question: question.clone(),
            format: AnswerFormat::Text,
            max_output_tokens: NOTE_TOKENS,
            temperature: 0.0,
            reasoning_effort: None,
        };
        notes.push_str(conversation.ask(&request, &mut Ignore)?.text.trim());
        notes.push('\n');
    }
    Ok(notes)
}

/// The lines of any text; very long ones are split at spaces.
fn unnumbered(text: &str) -> Lines {
    let transcript = TextTranscript { text: text.to_owned(), ..Default::default() };
    let all = Lines::of(&transcript).all.into_iter().map(|line| Line { speaker: None, ..line }).collect();
    Lines { all }
}
