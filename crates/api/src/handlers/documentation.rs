//! The OpenAPI document as YAML and JSON, and the page that displays it.

use std::sync::OnceLock;

use auris_domain::wire::JsonText;
use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::Response;

use crate::view;

const YAML: &str = include_str!("../../../../openapi/openapi.yaml");
const PAGE: &str = include_str!("../../../../openapi/viewer/index.html");
const SCRIPT: &str = include_str!("../../../../openapi/viewer/viewer.js");
const CONSOLE_YAML: &str = include_str!("../../../../openapi/console.yaml");
const TOKENS: &str = include_str!("../../../../openapi/viewer/tokens.css");
const STYLE: &str = include_str!("../../../../openapi/viewer/viewer.css");

const JSON: &str = "application/json";

pub(crate) async fn yaml() -> Response {
    view::bytes(StatusCode::OK, "application/yaml", YAML)
}

pub(crate) async fn json() -> Response {
    static DOCUMENT: OnceLock<Bytes> = OnceLock::new();
    view::bytes(StatusCode::OK, JSON, DOCUMENT.get_or_init(|| as_json(YAML)).clone())
}

/// The document of the console's APIs.
pub(crate) async fn console_yaml() -> Response {
    view::bytes(StatusCode::OK, "application/yaml", CONSOLE_YAML)
}

pub(crate) async fn console_json() -> Response {
    static DOCUMENT: OnceLock<Bytes> = OnceLock::new();
    view::bytes(StatusCode::OK, JSON, DOCUMENT.get_or_init(|| as_json(CONSOLE_YAML)).clone())
}

/// Shared by all responses.
fn as_json(yaml: &str) -> Bytes {
    // The files are part of the build and a test parses them, so the default is never used.
    let document = yaml_serde::from_str::<serde_json::Value>(yaml).unwrap_or_default();
    Bytes::from(JsonText::of(&document).into_string())
}

pub(crate) async fn page() -> Response {
    view::page("text/html; charset=utf-8", PAGE)
}

pub(crate) async fn script() -> Response {
    view::page("text/javascript; charset=utf-8", SCRIPT)
}

pub(crate) async fn tokens() -> Response {
    view::page("text/css; charset=utf-8", TOKENS)
}

pub(crate) async fn style() -> Response {
    view::page("text/css; charset=utf-8", STYLE)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_openapi_documents_parse() {
        for text in [super::YAML, super::CONSOLE_YAML] {
            let document: serde_json::Value = yaml_serde::from_str(text).unwrap();
            assert_eq!(document["info"]["version"], "0.1.0");
        }
    }
}
