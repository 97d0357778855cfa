//! A task: the caller's own instruction to a model, over parts of the result.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::check::{Object, Path};
use super::read::{boolean, choose, integer, list, number, one_of, string, text};
use super::{processing, schema};
use crate::error::{Checked, ErrorCode};
use crate::limits;

/// A checked item of `processing.tasks`.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    pub id: String,
    pub model: String,
    pub instructions: Option<String>,
    pub max_output_tokens: Option<i64>,
    pub reasoning: Option<Reasoning>,
    /// Pointers of the right shape; whether they point to something is the plan's to say.
    pub sources: Option<Vec<String>>,
    pub temperature: Option<f64>,
    pub format: TextFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reasoning {
    pub effort: Effort,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    None,
    Minimal,
    Low,
    Medium,
    High,
    Xhigh,
}

const EFFORTS: [(&str, Effort); 6] = [
    ("none", Effort::None),
    ("minimal", Effort::Minimal),
    ("low", Effort::Low),
    ("medium", Effort::Medium),
    ("high", Effort::High),
    ("xhigh", Effort::Xhigh),
];

/// The form of a task's answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TextFormat {
    #[default]
    Text,
    JsonSchema(JsonSchema),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JsonSchema {
    pub name: String,
    pub schema: Value,
    pub description: Option<String>,
    /// False only drops the constraint on decoding; the answer must validate all the same.
    pub strict: bool,
}

/// The tasks, no two with one id.
pub(super) fn list_of_tasks(path: &Path<'_>, value: Value) -> Checked<Vec<Task>> {
    let tasks = list(0..=limits::TASKS, task)(path, value)?;
    for (index, task) in tasks.iter().enumerate() {
        if tasks[..index].iter().any(|earlier| earlier.id == task.id) {
            let item = path.item(index);
            let message = format!("The task id `{}` is there twice.", task.id);
            return Err(item.field("id").refuse(ErrorCode::DuplicateTaskId, message));
        }
    }
    Ok(tasks)
}

fn task(path: &Path<'_>, value: Value) -> Checked<Task> {
    let mut object = Object::read(path, value)?;
    let task = Task {
        id: object.required("id", id)?,
        model: object.required("model", processing::model)?,
        instructions: object.optional("instructions", text(1..=limits::TASK_INSTRUCTIONS_CHARACTERS))?,
        max_output_tokens: object.optional("max_output_tokens", integer(1..=limits::TASK_OUTPUT_TOKENS))?,
        reasoning: object.optional("reasoning", reasoning)?,
        sources: object.optional("sources", list(1..=limits::SOURCES, source))?,
        temperature: object.optional("temperature", number(0.0..=limits::TASK_TEMPERATURE))?,
        format: object.optional("text", text_format)?.unwrap_or_default(),
    };
    object.finish()?;
    Ok(task)
}

fn id(path: &Path<'_>, value: Value) -> Checked<String> {
    let id = text(1..=limits::TASK_ID_CHARACTERS)(path, value)?;
    let follows =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    if id.starts_with(|first: char| first.is_ascii_lowercase()) && id.bytes().all(follows) {
        return Ok(id);
    }
    Err(path.invalid("a lowercase letter, then lowercase letters, digits, underscores or hyphens"))
}

fn reasoning(path: &Path<'_>, value: Value) -> Checked<Reasoning> {
    let mut object = Object::read(path, value)?;
    let reasoning = Reasoning { effort: object.required("effort", one_of(&EFFORTS))? };
    object.finish()?;
    Ok(reasoning)
}

fn source(path: &Path<'_>, value: Value) -> Checked<String> {
    let pointer = text(limits::SOURCE_MIN_CHARACTERS..=limits::SOURCE_CHARACTERS)(path, value)?;
    if crate::plan::source::Pointer::parse(&pointer).is_some() {
        return Ok(pointer);
    }
    Err(path
        .invalid("a reference such as `#/summary/text`, with `~1` for `/` and `~0` for `~` inside a name"))
}

fn text_format(path: &Path<'_>, value: Value) -> Checked<TextFormat> {
    let mut object = Object::read(path, value)?;
    let format = object.required("format", format)?;
    object.finish()?;
    Ok(format)
}

fn format(path: &Path<'_>, value: Value) -> Checked<TextFormat> {
    let mut object = Object::read(path, value)?;
    let kind = object.required("type", string)?;
    let is_schema = choose(&path.field("type"), &kind, &[("text", false), ("json_schema", true)])?;
    let format = if is_schema { TextFormat::JsonSchema(json_schema(&mut object)?) } else { TextFormat::Text };
    object.finish()?;
    Ok(format)
}

fn json_schema(object: &mut Object<'_>) -> Checked<JsonSchema> {
    Ok(JsonSchema {
        name: object.required("name", schema_name)?,
        schema: object.required("schema", schema::read)?,
        description: object.optional("description", text(0..=limits::SCHEMA_DESCRIPTION_CHARACTERS))?,
        strict: object.optional("strict", boolean)?.unwrap_or(true),
    })
}

fn schema_name(path: &Path<'_>, value: Value) -> Checked<String> {
    let name = text(1..=limits::SCHEMA_NAME_CHARACTERS)(path, value)?;
    if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') {
        return Ok(name);
    }
    Err(path.invalid("letters, digits, underscores and hyphens only"))
}
