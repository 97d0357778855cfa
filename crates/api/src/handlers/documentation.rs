//! The contract itself, as YAML, as JSON, and as a page that reads it.

use std::sync::OnceLock;

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;

use crate::view;

const YAML: &str = include_str!("../../../../openapi/openapi.yaml");
const PAGE: &str = include_str!("../../../../openapi/viewer/index.html");
const SCRIPT: &str = include_str!("../../../../openapi/viewer/viewer.js");
const STYLE: &str = include_str!("../../../../openapi/viewer/viewer.css");
const POLICY: &str = "default-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

pub(crate) async fn yaml() -> Response {
    view::text(StatusCode::OK, "application/yaml", YAML.to_owned())
}

pub(crate) async fn json() -> Response {
    static JSON: OnceLock<String> = OnceLock::new();
    let json = JSON.get_or_init(|| {
        // The file is part of the build and a test reads it, so it parses.
        yaml_serde::from_str::<serde_json::Value>(YAML).map(|value| value.to_string()).unwrap_or_default()
    });
    view::text(StatusCode::OK, "application/json", json.clone())
}

pub(crate) async fn page() -> Response {
    guarded(view::text(StatusCode::OK, "text/html; charset=utf-8", PAGE.to_owned()))
}

pub(crate) async fn script() -> Response {
    guarded(view::text(StatusCode::OK, "text/javascript; charset=utf-8", SCRIPT.to_owned()))
}

pub(crate) async fn style() -> Response {
    guarded(view::text(StatusCode::OK, "text/css; charset=utf-8", STYLE.to_owned()))
}

fn guarded(mut response: Response) -> Response {
    let guards: [(HeaderName, &str); 3] = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in guards {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_contract_parses() {
        let contract: serde_json::Value = yaml_serde::from_str(super::YAML).unwrap();
        assert_eq!(contract["info"]["version"], "0.1.0");
    }
}
