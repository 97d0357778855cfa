//! Tasks: the caller's instructions to a model about parts of the result.

use super::check::{Object, Path};
use super::pointer::Pointer;
use super::read::{boolean, choose, integer, list, number, one_of_variants, string, text};
use super::requested_step::{RequestedStep, model};
use super::schema::SchemaReader;
use crate::error::{Checked, ErrorCode};
use crate::limits;
use crate::raw_json::RawJson;
use crate::step::spec::{Effort, JsonSchema, Reasoning, StepSpec, TaskSpec, TaskText, TextFormat};

/// The tasks; no two may have the same id.
pub(super) fn list_of_tasks(path: &Path<'_>, value: RawJson<'_>) -> Checked<Vec<RequestedStep>> {
    let schemas = SchemaReader::default();
    let tasks = list(0..=limits::TASKS, |path, value| task(path, value, &schemas))(path, value)?;
    for (index, (id, _)) in tasks.iter().enumerate() {
        if tasks[..index].iter().any(|(earlier, _)| earlier == id) {
            let item = path.item(index);
            let message = format!("The task id `{id}` is used twice.");
            return Err(item.field("id").refuse(ErrorCode::DuplicateTaskId, message));
        }
    }
    Ok(tasks.into_iter().map(|(_, step)| step).collect())
}

fn task(path: &Path<'_>, value: RawJson<'_>, schemas: &SchemaReader) -> Checked<(String, RequestedStep)> {
    let mut object = Object::read(path, value)?;
    let id = object.required("id", id)?;
    let model = object.required("model", model)?;
    let instructions = object.optional("instructions", text(1..=limits::TASK_INSTRUCTIONS_CHARACTERS))?;
    let max_output_tokens = object.optional("max_output_tokens", integer(1..=limits::TASK_OUTPUT_TOKENS))?;
    let reasoning = object.optional("reasoning", reasoning)?;
    let sources = object.optional("sources", list(1..=limits::SOURCES, source))?;
    let temperature = object.optional("temperature", number(0.0..=limits::TASK_TEMPERATURE))?;
    let answer = object.optional("text", |path, value| answer(path, value, schemas))?;
    object.finish()?;
    let spec = TaskSpec {
        id: id.clone(),
        instructions,
        sources: vec![],
        max_output_tokens: max_output_tokens.unwrap_or(limits::TASK_DEFAULT_OUTPUT_TOKENS) as u32,
        temperature,
        reasoning,
        answer: answer.unwrap_or_default(),
    };
    Ok((id, RequestedStep { model: Some(model), spec: StepSpec::Task(Box::new(spec)), sources }))
}

fn id(path: &Path<'_>, value: RawJson<'_>) -> Checked<String> {
    let id = text(1..=limits::TASK_ID_CHARACTERS)(path, value)?;
    let follows =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    if id.starts_with(|first: char| first.is_ascii_lowercase()) && id.bytes().all(follows) {
        return Ok(id);
    }
    Err(path.invalid("a lowercase letter, then lowercase letters, digits, underscores or hyphens"))
}

fn reasoning(path: &Path<'_>, value: RawJson<'_>) -> Checked<Reasoning> {
    let mut object = Object::read(path, value)?;
    let reasoning = Reasoning { effort: object.required("effort", one_of_variants::<Effort>)? };
    object.finish()?;
    Ok(reasoning)
}

fn source(path: &Path<'_>, value: RawJson<'_>) -> Checked<String> {
    let pointer = text(limits::SOURCE_MIN_CHARACTERS..=limits::SOURCE_CHARACTERS)(path, value)?;
    if Pointer::parse(&pointer).is_some() {
        return Ok(pointer);
    }
    Err(path
        .invalid("a reference such as `#/summary/text`, with `~1` for `/` and `~0` for `~` inside a name"))
}

fn answer(path: &Path<'_>, value: RawJson<'_>, schemas: &SchemaReader) -> Checked<TaskText> {
    let mut object = Object::read(path, value)?;
    let format = object.required("format", |path, value| format(path, value, schemas))?;
    object.finish()?;
    Ok(TaskText { format })
}

fn format(path: &Path<'_>, value: RawJson<'_>, schemas: &SchemaReader) -> Checked<TextFormat> {
    let mut object = Object::read(path, value)?;
    let kind = object.required("type", string)?;
    let is_schema = choose(&path.field("type"), &kind, &[("text", false), ("json_schema", true)])?;
    let format = match is_schema {
        true => TextFormat::JsonSchema(json_schema(&mut object, schemas)?),
        false => TextFormat::Text,
    };
    object.finish()?;
    Ok(format)
}

fn json_schema(object: &mut Object<'_>, schemas: &SchemaReader) -> Checked<JsonSchema> {
    Ok(JsonSchema {
        name: object.required("name", schema_name)?,
        schema: object.required("schema", |path, value| schemas.read(path, value))?,
        description: object.optional("description", text(0..=limits::SCHEMA_DESCRIPTION_CHARACTERS))?,
        strict: object.optional("strict", boolean)?.unwrap_or(true),
    })
}

fn schema_name(path: &Path<'_>, value: RawJson<'_>) -> Checked<String> {
    let name = text(1..=limits::SCHEMA_NAME_CHARACTERS)(path, value)?;
    if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') {
        return Ok(name);
    }
    Err(path.invalid("letters, digits, underscores and hyphens only"))
}
