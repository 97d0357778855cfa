//! Tasks with the caller's own instructions: the prompt contains the sources first, then the instructions.

use auris_domain::step::output::TaskOutput;
use auris_domain::step::spec::TextFormat;
use auris_engine_core::text::{TaskRequest, TaskSource, TextTranscript};
use auris_engine_core::{EngineError, Ignore, TextSink};
use serde_json::Value;

use super::chat::{AnswerFormat, ChatModel, ChatRequest, json_of};
use super::conversation::{Conversation, repaired, room, system};
use super::lines::{Line, Lines};
use super::windows;

const NOTES: &str = include_str!("prompts/task_notes.md");
/// The instructions of a task that has none.
const DEFAULT: &str = "Say what is most important in it.";
/// Maximum tokens of our own text around a task.
const OWN_TOKENS: usize = 256;
/// Maximum tokens of the notes on one window of a long source.
pub(super) const NOTE_TOKENS: u32 = 512;
/// Tokens reserved for the answer. A task may ask for more, if its sources are short.
const PLANNED_ANSWER: u32 = 2_048;

pub(super) fn run(
    conversation: &mut Conversation<'_>,
    task: &TaskRequest,
    sink: &mut dyn TextSink,
) -> Result<TaskOutput, EngineError> {
    let question = question(task);
    let mut sources = written_sources(task);
    let room = source_room(conversation.model, task, &question, 0)?;
    while conversation.model.count_tokens(&sources)? > room {
        let shorter = notes(conversation, task, &sources, room)?;
        if shorter.len() >= sources.len() {
            let message =
                "The task's sources are too long for the model, and its notes on them are not shorter.";
            return Err(EngineError::BadAnswer { message: message.into(), truncated: false });
        }
        sources = shorter;
    }
    let answer = conversation.ask(&task_request(task, &sources, question), sink)?;
    let json = match task.spec.answer.format {
        TextFormat::Text => Value::Null,
        TextFormat::JsonSchema(_) => json_of(&answer.text).unwrap_or(Value::Null),
    };
    Ok(TaskOutput { text: answer.text, json })
}

/// The question of a task about its sources.
pub(super) fn task_request<'a>(task: &TaskRequest, sources: &'a str, question: String) -> ChatRequest<'a> {
    ChatRequest {
        system: system(),
        shared: sources,
        question,
        format: format(&task.spec.answer.format),
        max_output_tokens: task.spec.max_output_tokens,
        temperature: task.spec.temperature.unwrap_or(0.0),
        reasoning_effort: task.spec.reasoning.map(|reasoning| reasoning.effort),
    }
}

/// Maximum tokens of the sources in one question, which may have the error of a first answer.
pub(super) fn source_room(
    model: &dyn ChatModel,
    task: &TaskRequest,
    question: &str,
    flaw_tokens: usize,
) -> Result<usize, EngineError> {
    let words = model.count_tokens(question)? + flaw_tokens;
    room(model, task.spec.max_output_tokens.min(PLANNED_ANSWER), OWN_TOKENS + words)
}

/// The sources in the prompt.
pub(super) fn written_sources(task: &TaskRequest) -> String {
    let written = |source: &TaskSource| format!("Source {}:\n{}\n", source.pointer, source.text);
    task.sources.iter().map(written).collect::<Vec<_>>().join("\n")
}

fn format(format: &TextFormat) -> AnswerFormat {
    match format {
        TextFormat::Text => AnswerFormat::Text,
        TextFormat::JsonSchema(wanted) => AnswerFormat::Json {
            name: wanted.name.clone(),
            schema: wanted.schema.clone(),
            constrained: wanted.strict,
        },
    }
}

/// What is asked about the sources.
pub(super) fn question(task: &TaskRequest) -> String {
    let mut question = task.spec.instructions.clone().unwrap_or_else(|| DEFAULT.to_owned());
    if let TextFormat::JsonSchema(wanted) = &task.spec.answer.format {
        let name = &wanted.name;
        let about = wanted.description.as_ref().map(|about| format!(" ({about})")).unwrap_or_default();
        let schema = &wanted.schema;
        question.push_str(&format!(
            "\n\nAnswer only with the JSON value `{name}`{about}, which matches this JSON Schema:\n{schema}"
        ));
    }
    match &task.flaw {
        Some(flaw) => repaired(&question, flaw),
        None => question,
    }
}

/// Shortens sources that are too long: asks for notes on each window for the task.
fn notes(
    conversation: &mut Conversation<'_>,
    task: &TaskRequest,
    sources: &str,
    room: usize,
) -> Result<String, EngineError> {
    let mut notes = String::new();
    for window in windows::cut(&unnumbered(sources), conversation.model, room, usize::MAX)? {
        let request = note_request(task, &window.text);
        notes.push_str(conversation.ask(&request, &mut Ignore)?.text.trim());
        notes.push('\n');
    }
    Ok(notes)
}

/// The question for notes on one window of long sources.
pub(super) fn note_request<'a>(task: &TaskRequest, window: &'a str) -> ChatRequest<'a> {
    let asked = task.spec.instructions.as_deref().unwrap_or(DEFAULT);
    ChatRequest {
        system: system(),
        shared: window,
        question: NOTES.trim().replace("{instructions}", asked),
        format: AnswerFormat::Text,
        max_output_tokens: NOTE_TOKENS,
        temperature: 0.0,
        reasoning_effort: None,
    }
}

/// The lines of any text; very long ones are split at spaces.
pub(super) fn unnumbered(text: &str) -> Lines {
    let transcript = TextTranscript { text: text.to_owned(), ..Default::default() };
    let all = Lines::of(&transcript).all.into_iter().map(|line| Line { speaker: None, ..line }).collect();
    Lines { all }
}
