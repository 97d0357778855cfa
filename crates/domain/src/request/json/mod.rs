//! Strict JSON: one object, no duplicate keys, no NUL characters, nothing after the end.
//!
//! A body is checked as a whole, without building a tree: a tree takes up to 130 times as much memory as the text. Then
//! the readers of the request pick out what they need, and copy only that.

mod scan;

use super::check::Path;
use crate::error::{ApiError, Checked, ErrorCode};
pub use crate::raw_json::RawJson;
#[cfg(test)]
pub(super) use scan::MAX_VALUES;

/// Maximum depth of the path in an error about a NUL character. Each level reads the text once more.
const NUL_PATH_DEPTH: usize = 8;

/// Checks a request body. Duplicate keys are refused, because JSON parsers disagree on which one is used.
pub fn parse_strict(bytes: &[u8]) -> Checked<RawJson<'_>> {
    let text = str::from_utf8(bytes).map_err(|error| invalid_json(&error))?;
    let found = scan::scan(text)?;
    let body = RawJson::whole(text).map_err(|error| invalid_json(&error))?;
    if !body.is_object() {
        return Err(Path::Root.wrong_type("a JSON object", body));
    }
    if found.has_nul {
        refuse_nul(&Path::Root, body, 0)?;
    }
    Ok(body)
}

fn invalid_json(error: &dyn std::error::Error) -> ApiError {
    ApiError::new(ErrorCode::InvalidJson, format!("The body is not valid JSON: {error}."))
}

/// Refuses NUL characters, because the databases cannot store them in text columns. Only called if there is one, to
/// find its path. Values without the escape sequence are skipped.
fn refuse_nul(path: &Path<'_>, value: RawJson<'_>, depth: usize) -> Checked<()> {
    if !value.as_str().contains("\\u0000") {
        return Ok(());
    }
    if let Some(text) = value.string() {
        return refuse_nul_in(path, &text);
    }
    if depth == NUL_PATH_DEPTH {
        return Err(nul_at(path));
    }
    value.for_each_item(|index, item| refuse_nul(&path.item(index), item, depth + 1))?;
    value.for_each_field(|name, field| {
        // The path ends at the object: a name with a NUL character would not be readable in it.
        refuse_nul_in(path, &name)?;
        refuse_nul(&path.field(&name), field, depth + 1)
    })
}

fn refuse_nul_in(path: &Path<'_>, text: &str) -> Checked<()> {
    if text.contains('\0') { Err(nul_at(path)) } else { Ok(()) }
}

fn nul_at(path: &Path<'_>) -> ApiError {
    path.refuse(ErrorCode::InvalidValue, "Strings must not contain the NUL character (U+0000).")
}
