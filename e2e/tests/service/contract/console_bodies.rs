//! Bodies that are not valid requests of the console: all are refused, and the wrong field is named.

use auris_e2e::{Console, DatabaseKind, Operation, Reply, SeededRandom, Server, console_contract};
use auris_e2e::{count_from_environment, put, remove};
use serde_json::{Map, Value, json};

use super::console_routes::console_value;

const JSON: &str = "application/json";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_field_of_the_console_is_refused_and_named() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let operator = Console::operator(&server).await;
    let mut cases = 0;
    let mut mistakes = Vec::new();
    for operation in with_json() {
        for (param, body) in wrong_bodies(operation) {
            cases += 1;
            let reply = post(&operator, operation, JSON, body.to_string().into_bytes()).await;
            let is_named = reply.status == 400
                && reply.error().param.is_some_and(|named| {
                    named == param
                        || named.starts_with(&format!("{param}."))
                        || named.starts_with(&format!("{param}["))
                });
            if !is_named {
                mistakes.push(format!("{body}: expected 400 about `{param}`, got {reply}"));
            }
        }
    }
    assert!(cases > 50, "only {cases} cases were generated");
    assert!(mistakes.is_empty(), "{} of {cases} cases failed:\n{}", mistakes.len(), mistakes.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_of_the_console_that_is_not_a_json_object_is_refused() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let operator = Console::operator(&server).await;
    for operation in with_json() {
        for (body, code) in [
            ("{", "invalid_json"),
            ("{} {}", "invalid_json"),
            ("{\"a\": NaN}", "invalid_json"),
            ("\u{FEFF}{}", "invalid_json"),
            ("[]", "invalid_type"),
            ("null", "invalid_type"),
            ("\"text\"", "invalid_type"),
        ] {
            let reply = post(&operator, operation, JSON, body.as_bytes().to_vec()).await;
            assert_eq!((reply.status, reply.error().code.as_str()), (400, code), "{body}: {reply}");
        }
        for content_type in ["text/plain", "application/x-www-form-urlencoded"] {
            let reply = post(&operator, operation, content_type, b"{}".to_vec()).await;
            assert_eq!((reply.status, reply.error().code.as_str()), (400, "invalid_content_type"), "{reply}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soak_random_bytes_are_refused_by_every_change_of_the_console() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let operator = Console::operator(&server).await;
    let mut random = SeededRandom::new("random bodies of the console");
    let rounds = count_from_environment("AURIS_SOAK_GARBAGE", 4);
    let types = [JSON, "multipart/form-data; boundary=x", "text/plain", "", "a/b;;;="];
    let changes = console_contract().operations().iter().filter(|operation| has_body(operation));
    for operation in changes {
        for _ in 0..rounds {
            let content_type = *random.pick(&types);
            let length = *random.pick(&[1, 7, 300, 70_000]);
            let body = random.bytes(length);
            let reply = post(&operator, operation, content_type, body).await;
            assert!((400..500).contains(&reply.status), "{reply}");
        }
    }
}

async fn post(visitor: &Console, operation: &Operation, content_type: &str, body: Vec<u8>) -> Reply {
    let call = visitor.call(&operation.method, &operation.path(console_value));
    let key = format!("body-{}", rand::random::<u64>());
    call.idempotency_key(&key).bytes(content_type, body).send().await
}

fn has_body(operation: &Operation) -> bool {
    operation.definition["requestBody"].is_object()
}

fn json_of(operation: &Operation) -> &Value {
    let body = console_contract().resolve(&operation.definition["requestBody"]);
    &body["content"][JSON]
}

/// The operations with a JSON body. The form of a transcription is that of `/v1`.
fn with_json() -> impl Iterator<Item = &'static Operation> {
    let operations = console_contract().operations().iter();
    operations.filter(|operation| has_body(operation) && json_of(operation).is_object())
}

/// Bodies with one wrong field each, and the name of that field.
fn wrong_bodies(operation: &Operation) -> Vec<(String, Value)> {
    let schema = console_contract().resolve(&json_of(operation)["schema"]);
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    // Fields of a body without required ones may exclude each other.
    let valid = if required.is_empty() { json!({}) } else { example(operation) };
    let mut bodies = Vec::new();
    for name in required {
        let mut body = valid.clone();
        remove(&mut body, name);
        bodies.push((name.to_owned(), body));
    }
    for (name, field) in schema["properties"].as_object().unwrap_or(&Map::new()) {
        for value in [json!({"no_such_field": 1}), json!([[1]]), json!("\u{1}"), json!(-1.5)] {
            if !console_contract().schema_errors(field, &value).is_empty() {
                bodies.push((name.clone(), with(&valid, name, value)));
            }
        }
    }
    bodies.push(("no_such_field".to_owned(), with(&valid, "no_such_field", json!(1))));
    bodies
}

fn with(valid: &Value, name: &str, value: Value) -> Value {
    let mut body = valid.clone();
    put(&mut body, name, value);
    body
}

fn example(operation: &Operation) -> Value {
    let examples = json_of(operation)["examples"].as_object().expect("a request has examples");
    let first = examples.values().next().expect("an example");
    console_contract().resolve(first)["value"].clone()
}
