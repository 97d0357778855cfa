//! JSON Schemas that a task's answer must meet: compiled at request time, so that a bad one is told at once.

mod bounds;
mod deep_stack;
mod effort;
#[cfg(test)]
mod hostile_tests;
mod impossible;
mod references;
#[cfg(test)]
mod tests;

use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;

use super::check::Path;
use crate::error::{ApiError, Checked, ErrorCode};

const REASON_CHARACTERS: usize = 300;
/// What one pattern may compile to, and how often it may try again at one text.
const PATTERN_BYTES: usize = 4 * 1024 * 1024;
const PATTERN_TRIES: usize = 100_000;

/// Why a schema or an answer is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaFault {
    /// No answer can help.
    #[error("{0}")]
    Unusable(String),
    /// Another answer may meet the schema. Says where and what, without the answer's own words.
    #[error("{0}")]
    Unmet(String),
    #[error("there is no room for another thread")]
    NoThread,
}

/// Checks an answer. It takes as long as the schema is large: call it where blocking is allowed.
pub fn validate(schema: &Value, answer: &Value) -> Result<(), SchemaFault> {
    if bounds::is_too_deep(answer) {
        return Err(SchemaFault::Unmet("the answer is nested too deep".into()));
    }
    deep_stack::run(|| {
        let fault = |error: ValidationError<'_>| SchemaFault::Unmet(told(&error, error.masked().to_string()));
        compile(schema)?.validate(answer).map_err(fault)
    })
}

pub(super) fn read(path: &Path<'_>, value: Value) -> Checked<Value> {
    if !value.is_object() {
        return Err(path.wrong_type("an object", &value));
    }
    match deep_stack::run(|| usable(&value)) {
        Ok(()) => Ok(value),
        Err(SchemaFault::Unusable(fault) | SchemaFault::Unmet(fault)) => {
            let message = format!("`{path}` is no usable JSON Schema: {fault}.");
            Err(path.refuse(ErrorCode::InvalidJsonSchema, message))
        }
        Err(SchemaFault::NoThread) => {
            let message = "The service has no room to check a schema now. Try again later.";
            Err(ApiError::new(ErrorCode::EngineOverloaded, message).retry_after(5))
        }
    }
}

fn usable(schema: &Value) -> Result<(), SchemaFault> {
    compile(schema)?;
    impossible::reason(schema).map_or(Ok(()), |fault| Err(SchemaFault::Unusable(fault)))
}

/// Compiles a schema: the draft that `$schema` names, else 2020-12. Nothing outside the document is ever fetched.
/// The bounds come first, because jsonschema has none of its own; its validator needs a deep stack, too.
fn compile(schema: &Value) -> Result<Validator, SchemaFault> {
    if let Some(fault) = dialect(schema).or_else(|| bounds::reason(schema)).or_else(|| effort::reason(schema))
    {
        return Err(SchemaFault::Unusable(fault));
    }
    let patterns = PatternOptions::fancy_regex().size_limit(PATTERN_BYTES).backtrack_limit(PATTERN_TRIES);
    let built = jsonschema::options().with_pattern_options(patterns).build(schema);
    built.map_err(|error| SchemaFault::Unusable(told(&error, error.to_string())))
}

fn dialect(schema: &Value) -> Option<String> {
    let is_known = Draft::default().detect(schema) != Draft::Unknown;
    (!is_known).then(|| "its `$schema` is no known draft".into())
}

fn told(error: &ValidationError<'_>, reason: String) -> String {
    let place = error.instance_path().to_string();
    let shorten = |text: String| text.chars().take(REASON_CHARACTERS).collect::<String>();
    let reason = shorten(reason);
    if place.is_empty() { reason } else { format!("{reason} at `{}`", shorten(place)) }
}
