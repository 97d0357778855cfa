//! Tests of the rules of requests: values at a limit are accepted, values beyond it are refused with a code and a path.

mod analysis;
mod follow_up;
mod formats;
mod json;
mod processing;
mod queries;
mod speaker_names;
mod tasks;
mod transcript;
mod transcription;

use serde_json::{Value, json};

use super::AnalysisRequest;
use crate::error::{Checked, ErrorCode};
use crate::raw_json::RawJson;

/// The smallest valid body.
fn minimal() -> Value {
    json!({"processing": {"summary": {}}, "transcript": {"text": "Hello."}})
}

/// The minimal body with another value at a JSON pointer.
fn with(pointer: &str, value: Value) -> Value {
    let mut body = minimal();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = body.pointer_mut(parent).unwrap();
    parent[name] = value;
    body
}

/// Reads a body as a request for an analysis.
fn parse(body: &Value) -> Checked<AnalysisRequest> {
    let text = body.to_string();
    let request = AnalysisRequest::parse(RawJson::whole(&text).unwrap())?;
    request.check_schemas()?;
    Ok(request)
}

#[track_caller]
fn accepted(body: Value) -> AnalysisRequest {
    parse(&body).unwrap_or_else(|error| panic!("refused: {error:?}"))
}

#[track_caller]
fn refused(body: Value, code: ErrorCode, param: &str) {
    assert_refused(parse(&body), code, param);
}

/// An empty `param` means that the error has none.
#[track_caller]
fn assert_refused<T>(answer: Checked<T>, code: ErrorCode, param: &str) {
    let Err(error) = answer else {
        panic!("accepted, but {code} at `{param}` was expected");
    };
    assert_eq!((error.code, error.param.as_deref().unwrap_or("")), (code, param), "{}", error.message);
    assert!(!error.message.is_empty());
}
