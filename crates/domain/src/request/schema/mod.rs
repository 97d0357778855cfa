//! JSON schemas for the answers of tasks. A request with an unusable schema is refused.

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
use crate::raw_json::RawJson;
use crate::raw_json::compact;

/// Maximum characters of a reason, and of the path in it.
const REASON_CHARACTERS: usize = 300;
/// Maximum size of a compiled pattern.
const PATTERN_BYTES: usize = 4 * 1024 * 1024;
/// Maximum number of times that a pattern may backtrack in one text.
const PATTERN_BACKTRACKS: usize = 100_000;

/// Why a schema or an answer is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaFault {
    /// The schema is at fault: no answer can match it.
    #[error("{0}")]
    Unusable(String),
    /// The answer does not match the schema, but another one may. The reason has the path, but no text of the answer.
    #[error("{0}")]
    Unmet(String),
    /// The check could not be run. It may succeed later.
    #[error("the system could not start another thread")]
    NoThread,
}

/// Checks an answer against a schema. Large schemas take long, so call it where blocking is allowed.
pub fn validate(schema: &Value, answer: &Value) -> Result<(), SchemaFault> {
    if bounds::is_too_deep(answer) {
        return Err(SchemaFault::Unmet("the answer is nested too deeply".into()));
    }
    deep_stack::run(|| {
        let fault =
            |error: ValidationError<'_>| SchemaFault::Unmet(reason_at(&error, error.masked().to_string()));
        compile(schema)?.validate(answer).map_err(fault)
    })
}

/// Whether the type of the schema is null, so that null is a valid answer.
pub fn asks_for_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

pub(super) fn read(path: &Path<'_>, schema: RawJson<'_>) -> Checked<Value> {
    if !schema.is_object() {
        return Err(path.wrong_type("an object", schema));
    }
    let unusable = |fault: &str| {
        let message = format!("`{path}` is not a usable JSON Schema: {fault}.");
        path.refuse(ErrorCode::InvalidJsonSchema, message)
    };
    let mut text = String::new();
    compact(schema.as_str(), &mut text);
    if let Some(fault) = bounds::size_fault(&text) {
        return Err(unusable(&fault));
    }
    let value: Value =
        RawJson::whole(&text).ok().and_then(RawJson::read).ok_or_else(|| unusable("it is not JSON"))?;
    match deep_stack::run(|| usable(&value)) {
        Ok(()) => Ok(value),
        Err(SchemaFault::Unusable(fault) | SchemaFault::Unmet(fault)) => Err(unusable(&fault)),
        Err(SchemaFault::NoThread) => {
            let message = "The service is too busy to check a JSON Schema. Try again later.";
            Err(ApiError::new(ErrorCode::EngineOverloaded, message).retry_after(5))
        }
    }
}

fn usable(schema: &Value) -> Result<(), SchemaFault> {
    compile(schema)?;
    impossible::reason(schema).map_or(Ok(()), |fault| Err(SchemaFault::Unusable(fault)))
}

/// Compiles a schema: the draft that `$schema` names, else 2020-12. Nothing outside the document is ever fetched.
/// The limits are checked first, because jsonschema has none. Both compiling and validating need a deep stack.
fn compile(schema: &Value) -> Result<Validator, SchemaFault> {
    if let Some(fault) = dialect(schema).or_else(|| bounds::reason(schema)).or_else(|| effort::reason(schema))
    {
        return Err(SchemaFault::Unusable(fault));
    }
    let patterns =
        PatternOptions::fancy_regex().size_limit(PATTERN_BYTES).backtrack_limit(PATTERN_BACKTRACKS);
    let built = jsonschema::options().with_pattern_options(patterns).build(schema);
    built.map_err(|error| SchemaFault::Unusable(reason_at(&error, error.to_string())))
}

fn dialect(schema: &Value) -> Option<String> {
    let is_known = Draft::default().detect(schema) != Draft::Unknown;
    (!is_known).then(|| "its `$schema` is not a known draft".into())
}

/// The reason, with the path in the answer or schema.
fn reason_at(error: &ValidationError<'_>, reason: String) -> String {
    let path = error.instance_path().to_string();
    let shorten = |text: String| text.chars().take(REASON_CHARACTERS).collect::<String>();
    let reason = shorten(reason);
    if path.is_empty() { reason } else { format!("{reason} at `{}`", shorten(path)) }
}
