//! The rules for every answer under `/v1`, independent of the operation.

use reqwest::header::HeaderMap;
use serde_json::Value;

const STATUSES: [u16; 12] = [200, 201, 202, 302, 400, 401, 403, 404, 409, 429, 500, 503];

/// How the answer breaks the rules; empty if it does not.
pub(crate) fn errors(status: u16, headers: &HeaderMap, body: &[u8]) -> Vec<String> {
    let mut errors = Vec::new();
    if !STATUSES.contains(&status) {
        errors.push(format!("the contract has no status {status}"));
    }
    if text(headers, "x-request-id").is_empty() {
        errors.push("x-request-id is missing".to_owned());
    }
    if status >= 400 {
        let error: Value = serde_json::from_slice(body).unwrap_or_default();
        errors.extend(type_error(status, &error["error"]));
        errors.extend(leak(&error["error"]));
        errors.extend(retry_error(status, headers, &error["error"]));
    }
    errors
}

fn type_error(status: u16, error: &Value) -> Option<String> {
    let allowed: &[&str] = match status {
        400 => &["invalid_request_error"],
        401 => &["authentication_error"],
        403 => &["permission_error", "insufficient_balance_error"],
        404 => &["not_found_error"],
        409 => &["conflict_error"],
        429 => &["rate_limit_error"],
        _ => &["api_error"],
    };
    let sent = error["type"].as_str().unwrap_or_default();
    let code_missing = error["code"].as_str().unwrap_or_default().is_empty();
    if !allowed.contains(&sent) {
        return Some(format!("error type `{sent}` does not belong to status {status}"));
    }
    code_missing.then(|| "the error has no code".to_owned())
}

// Words that occur only in internal messages, paths or SQL statements.
fn leak(error: &Value) -> Option<String> {
    let message = error["message"].as_str().unwrap_or_default();
    ["SELECT ", "INSERT ", "sqlx", "panicked", ".rs:", "/tmp/", "serde"]
        .iter()
        .find(|word| message.contains(**word))
        .map(|word| format!("the message contains `{word}`: {message}"))
}

fn retry_error(status: u16, headers: &HeaderMap, error: &Value) -> Option<String> {
    let code = error["code"].as_str().unwrap_or_default();
    match status {
        401 if !text(headers, "www-authenticate").starts_with("Bearer") => {
            Some("401 without WWW-Authenticate: Bearer".to_owned())
        }
        409 if code != "idempotency_key_in_use" && text(headers, "x-should-retry") != "false" => {
            Some(format!("409 {code} without x-should-retry: false"))
        }
        429 | 503 if !(1..=120).contains(&number(headers, "retry-after")) => {
            Some(format!("{status} without Retry-After of 1 to 120"))
        }
        _ => None,
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default()
}

fn number(headers: &HeaderMap, name: &str) -> u64 {
    text(headers, name).parse().unwrap_or(0)
}
