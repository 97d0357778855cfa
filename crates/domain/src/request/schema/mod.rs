//! JSON schemas for the answers of tasks. A request with an unusable schema is refused.
//!
//! What can be found without compiling is checked when the request is read, from the text alone: the size of each schema,
//! and the size and the patterns of all schemas together. Compiling takes longer, needs a tree of the schema's values, and
//! comes last.

mod bounds;
mod budget;
mod compiled;
mod deep_stack;
mod effort;
#[cfg(test)]
mod hostile_tests;
mod impossible;
mod normal_text;
mod pattern_cost;
mod reader;
mod references;
mod survey;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use jsonschema::{PatternOptions, ValidationError};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::{ApiError, Checked, ErrorCode};
use crate::raw_json::RawJson;
use crate::step::SchemaText;
use budget::SchemaBudget;
use compiled::{COMPILED, CompiledSchema};
pub(super) use reader::SchemaReader;

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

/// Checks an answer against a schema, which is compiled only if it is not known. Large schemas and answers take long, so
/// call it where blocking is allowed.
pub fn validate(schema: &SchemaText, answer: &Value) -> Result<(), SchemaFault> {
    if bounds::is_too_deep(answer) {
        return Err(SchemaFault::Unmet("the answer is nested too deeply".into()));
    }
    deep_stack::run(|| {
        let fault =
            |error: ValidationError<'_>| SchemaFault::Unmet(reason_at(&error, error.masked().to_string()));
        COMPILED.get(schema, compile)?.validate(answer).map_err(fault)
    })
}

/// Whether the type of the schema is null, so that null is a valid answer.
pub fn asks_for_null(schema: &SchemaText) -> bool {
    #[derive(Deserialize)]
    struct Root<'a> {
        #[serde(rename = "type", borrow)]
        kind: Option<&'a RawValue>,
    }

    let root = serde_json::from_str::<Root<'_>>(schema.as_str()).ok();
    let kind = root.and_then(|root| RawJson::from(root.kind?).string());
    kind.as_deref() == Some("null")
}

/// Compiles a schema and refuses it if it is unusable. `param` names it in the request.
pub(super) fn check(param: &str, schema: &SchemaText) -> Checked<()> {
    match deep_stack::run(|| usable(schema)) {
        Ok(()) => Ok(()),
        Err(SchemaFault::Unusable(fault) | SchemaFault::Unmet(fault)) => Err(unusable(param, &fault)),
        Err(SchemaFault::NoThread) => Err(too_busy()),
    }
}

/// The error of a request whose schemas cannot be checked now.
pub fn too_busy() -> ApiError {
    let message = "The service is too busy to check a JSON Schema. Try again later.";
    ApiError::new(ErrorCode::EngineOverloaded, message).retry_after(5)
}

fn unusable(param: &str, fault: &str) -> ApiError {
    let message = format!("`{param}` is not a usable JSON Schema: {fault}.");
    ApiError::new(ErrorCode::InvalidJsonSchema, message).at(param)
}

fn usable(schema: &SchemaText) -> Result<(), SchemaFault> {
    COMPILED.get(schema, compile)?;
    impossible::reason(&tree(schema)?).map_or(Ok(()), |fault| Err(SchemaFault::Unusable(fault)))
}

fn tree(schema: &SchemaText) -> Result<Value, SchemaFault> {
    schema.read().map_err(|_| SchemaFault::Unusable("it is nested too deeply".into()))
}

/// Compiles a schema: the draft that `$schema` names, else 2020-12. Nothing outside the document is ever fetched.
/// The limits are checked first, because jsonschema has none. Both compiling and validating need a deep stack.
fn compile(schema: &SchemaText) -> Result<CompiledSchema, SchemaFault> {
    let unusable = SchemaFault::Unusable;
    let size = survey::measure(schema.as_str()).map_err(unusable)?;
    SchemaBudget::default().add(&size).map_err(unusable)?;
    let tree = tree(schema)?;
    if let Some(fault) = effort::reason(&tree) {
        return Err(unusable(fault));
    }
    let patterns =
        PatternOptions::fancy_regex().size_limit(PATTERN_BYTES).backtrack_limit(PATTERN_BACKTRACKS);
    let built = jsonschema::options().with_pattern_options(patterns).build(&tree);
    let validator = built.map_err(|error| unusable(reason_at(&error, error.to_string())))?;
    Ok(CompiledSchema { validator: Arc::new(validator), bytes: size.compiled_bytes() })
}

/// The reason, with the path in the answer or schema.
fn reason_at(error: &ValidationError<'_>, reason: String) -> String {
    let path = error.instance_path().to_string();
    let shorten = |text: String| text.chars().take(REASON_CHARACTERS).collect::<String>();
    let reason = shorten(reason);
    if path.is_empty() { reason } else { format!("{reason} at `{}`", shorten(path)) }
}
