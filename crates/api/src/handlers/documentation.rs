//! The OpenAPI document as YAML and JSON, and the page that displays it.

use std::sync::OnceLock;

use auris_domain::wire::JsonText;
use axum::http::StatusCode;
use axum::response::Response;

use crate::view;

const YAML: &str = include_str!("../../../../openapi/openapi.yaml");
const PAGE: &str = include_str!("../../../../openapi/viewer/index.html");
const SCRIPT: &str = include_str!("../../../../openapi/viewer/viewer.js");
const STYLE: &str = include_str!("../../../../openapi/viewer/viewer.css");

pub(crate) async fn yaml() -> Response {
    view::bytes(StatusCode::OK, "application/yaml", YAML)
}

pub(crate) async fn json() -> Response {
    static DOCUMENT: OnceLock<JsonText> = OnceLock::new();
    view::json(StatusCode::OK, DOCUMENT.get_or_init(as_json).clone())
}

fn as_json() -> JsonText {
    // The file is part of the build and a test parses it, so the default is never used.
    JsonText::of(&yaml_serde::from_str::<serde_json::Value>(YAML).unwrap_or_default())
}

pub(crate) async fn page() -> Response {
    view::page("text/html; charset=utf-8", PAGE)
}

pub(crate) async fn script() -> Response {
    view::page("text/javascript; charset=utf-8", SCRIPT)
}

pub(crate) async fn style() -> Response {
    view::page("text/css; charset=utf-8", STYLE)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_openapi_document_parses() {
        let document: serde_json::Value = yaml_serde::from_str(super::YAML).unwrap();
        assert_eq!(document["info"]["version"], "0.1.0");
    }
}
