//! The document itself: its operations, their errors, and the examples.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use auris_e2e::{DatabaseKind, Server, contract, repository};
use serde_json::Value;

const ERROR_STATUSES: [&str; 8] = ["400", "401", "403", "404", "409", "429", "500", "503"];

/// Every method and path of the interface.
const INTERFACE: [&str; 16] = [
    "DELETE /v1/artifacts/{artifactId}",
    "DELETE /v1/jobs/{jobId}/content",
    "DELETE /v1/webhook_endpoints/{endpointId}",
    "GET /v1/artifacts/{artifactId}",
    "GET /v1/artifacts/{artifactId}/content",
    "GET /v1/jobs",
    "GET /v1/jobs/{jobId}",
    "GET /v1/jobs/{jobId}/events",
    "GET /v1/jobs/{jobId}/steps",
    "GET /v1/jobs/{jobId}/steps/{stepId}",
    "GET /v1/models",
    "GET /v1/webhook_endpoints",
    "POST /v1/audio/analyses",
    "POST /v1/audio/transcriptions",
    "POST /v1/jobs/{jobId}/cancel",
    "POST /v1/webhook_endpoints",
];

#[test]
fn the_contract_has_exactly_the_operations_of_the_interface() {
    let operations = contract().operations().iter();
    let found: BTreeSet<String> = operations.map(|o| format!("{} {}", o.method, o.template)).collect();
    let wanted: BTreeSet<String> = INTERFACE.iter().map(|line| (*line).to_owned()).collect();
    assert_eq!(found, wanted);
}

#[test]
fn every_operation_documents_every_error_status() {
    for operation in contract().operations() {
        let responses = operation.definition["responses"].as_object().expect("responses");
        for status in ERROR_STATUSES {
            assert!(responses.contains_key(status), "{} {}: {status}", operation.method, operation.template);
        }
    }
}

#[test]
fn every_example_is_valid() {
    let mut checked = 0;
    for entry in fs::read_dir(repository().join("openapi/examples")).expect("openapi/examples exists") {
        let path = entry.expect("a readable folder").path();
        let schema = schema_of(&path);
        let text = fs::read_to_string(&path).expect("a readable file");
        let example: Value = serde_json::from_str(&text).expect("an example is JSON");
        let errors = contract().schema_errors(schema, &example);
        assert!(errors.is_empty(), "{}: {}", path.display(), errors.join("; "));
        checked += 1;
    }
    assert_eq!(checked, contract().schema_count(), "every schema has an example");
}

#[tokio::test]
async fn the_server_serves_this_document_and_a_viewer() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let reply = server.client().get_outside_api("/openapi.yaml", &[]).await.expect_status(200);
    let file = repository().join("openapi/openapi.yaml");
    assert_eq!(reply.text(), fs::read_to_string(file).expect("the document"));
    let viewer = server.client().get_outside_api("/docs", &[]).await.expect_status(200);
    assert!(viewer.header("content-type").starts_with("text/html"), "{:?}", viewer.headers);
}

/// The schema that the example is named after: `JobStep.json` is a `JobStep`.
fn schema_of(example: &Path) -> &'static Value {
    let name = example.file_stem().and_then(|stem| stem.to_str()).expect("a file name");
    contract().schema(name).unwrap_or_else(|| panic!("there is no schema `{name}`"))
}
