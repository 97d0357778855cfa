//! The official OpenAI packages against this server. Only the base URL and the key differ.

use std::path::PathBuf;
use std::process::Command;

use auris_e2e::{DatabaseKind, Server, ServerOptions, repository};
use serde_json::{Value, json};

const MODEL: &str = "moonshine-tiny-en";
const SPOKEN: &str = "ask what you can do for your country";

/// The path that `scripts/test` sets for a client; panics with instructions if it is not set.
fn installed(variable: &str) -> PathBuf {
    let path = std::env::var_os(variable).map(PathBuf::from);
    path.unwrap_or_else(|| {
        panic!("{variable} is not set: run the tests with scripts/test, which installs the client")
    })
}

/// A server with a small real model from the downloaded assets.
async fn server_with_a_model() -> Server {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_real_models();
    let server = server.start().await;
    server.auris(&["models", "pull", MODEL]);
    server
}

/// Runs the script of the client and returns what it printed.
async fn report(mut client: Command) -> Value {
    let server = server_with_a_model().await;
    let key = server.client().key().to_owned();
    let recording = repository().join("samples/inaugural.wav");
    client.args([&format!("{}/v1", server.base()), &key, MODEL]).arg(recording);
    let output = tokio::task::spawn_blocking(move || client.output()).await;
    let output = output.expect("the thread ends").expect("the client's interpreter starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("the script prints JSON")
}

fn check_report(report: &Value) {
    let text = report["json"].as_str().expect("a text");
    assert!(text.contains(SPOKEN), "{report}");
    assert_eq!(report["seconds"].as_f64(), Some(11.0), "{report}");
    assert_eq!(report["text"], text, "{report}");
    assert_eq!(report["streamed"]["deltas"], text, "{report}");
    assert_eq!(report["streamed"]["done"], json!([text]), "{report}");
    assert!(report["streamed"]["segments"].as_u64() >= Some(1), "{report}");
    assert!(report["models"].as_array().expect("a list").contains(&json!(MODEL)), "{report}");
    let refused = |exception: &str, status: u16, code: &str, param: Value| json!({"exception": exception, "status": status, "code": code, "param": param});
    assert_eq!(report["wrong_key"], refused("AuthenticationError", 401, "invalid_api_key", Value::Null));
    assert_eq!(
        report["missing_file"],
        refused("BadRequestError", 400, "missing_required_parameter", json!("file"))
    );
    assert_eq!(report["unknown_model"], refused("NotFoundError", 404, "model_not_found", json!("model")));
}

#[tokio::test]
async fn the_python_package_transcribes_streams_and_raises_its_own_exceptions() {
    let mut client = Command::new(installed("AURIS_TEST_OPENAI_PYTHON"));
    client.arg(repository().join("e2e/clients/openai_client.py"));
    check_report(&report(client).await);
}

#[tokio::test]
async fn the_node_package_transcribes_streams_and_raises_its_own_exceptions() {
    let mut client = Command::new("node");
    client.env("NODE_PATH", installed("AURIS_TEST_OPENAI_NODE"));
    client.arg(repository().join("e2e/clients/openai_client.cjs"));
    check_report(&report(client).await);
}
