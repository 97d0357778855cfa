//! Every rule of path, query and header parameters, at its edge and one beyond.

use auris_e2e::edges::{Change, Edge, Rule, edges_of_value};
use auris_e2e::requests::{analysis, submit_transcription, transcription_form};
use auris_e2e::{Call, Client, DatabaseKind, Form, Operation, Server, contract};
use serde_json::{Value, json};

use crate::expected::{complaint, report};

/// What edges of a header or query look like on the wire.
fn on_the_wire(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_rule_of_every_parameter_holds_at_its_edge_and_is_told_beyond() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let ids = Ids::of_real_things(&server, &client).await;
    let form = transcription_form(&client).await.text("async", "true");
    let (mut cases, mut complaints) = (0, Vec::new());
    for operation in contract().operations() {
        for parameter in &operation.parameters {
            for edge in parameter_edges(parameter) {
                let Some(call) = call_with(&client, operation, parameter, &edge, &ids) else {
                    continue;
                };
                cases += 1;
                let reply = with_body(call, operation, &form).send().await;
                complaints.extend(complaint(&edge, &reply));
            }
        }
    }
    assert!(cases > 150, "only {cases} cases were generated");
    report(cases, complaints);
}

#[tokio::test]
async fn a_webhook_endpoint_without_an_idempotency_key_is_refused() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let body = json!({"url": "https://127.0.0.1:9/hook"});
    let reply = server.client().post("/v1/webhook_endpoints").json(&body).send().await;
    let error = reply.expect_error(400, "idempotency_key_required");
    assert_eq!(error.param.as_deref(), Some("Idempotency-Key"));
}

fn parameter_edges(parameter: &Value) -> Vec<Edge> {
    let name = parameter["name"].as_str().expect("a parameter has a name");
    let mut edges = edges_of_value(&parameter["schema"], name);
    // On the wire all is text: a number where a text belongs is a text.
    let number = contract().resolve(&parameter["schema"])["type"] == "integer";
    edges.retain(|edge| edge.rule != Rule::Type || (number && edge.value().is_some_and(is_plain)));
    for edge in edges.iter_mut().filter(|edge| edge.rule == Rule::Type) {
        // `limit=words` has no type but its text.
        edge.rule = Rule::Enum;
    }
    if number {
        edges.extend(
            ["-1", "1.5", "0x10", "99999999999999999999", "", " ", "+"].map(|text| not_a_number(name, text)),
        );
    }
    edges
}

fn is_plain(value: &Value) -> bool {
    value.is_string() || value.is_boolean() || value.is_null()
}

fn not_a_number(name: &str, text: &str) -> Edge {
    Edge {
        param: name.to_owned(),
        rule: Rule::Enum,
        keeps: false,
        change: Change::Put(json!(text)),
        document: json!({}),
    }
}

// None where the value cannot be written there at all.
fn call_with(
    client: &Client,
    operation: &Operation,
    parameter: &Value,
    edge: &Edge,
    ids: &Ids,
) -> Option<Call> {
    let name = parameter["name"].as_str().unwrap_or_default();
    let text = on_the_wire(edge.value()?);
    let good = operation.path(|other| ids.id(other));
    let with_required = |call: Call| match requires_key(operation) && name != "Idempotency-Key" {
        true => call.idempotency_key(&format!("edge-{}", rand::random::<u64>())),
        false => call,
    };
    let method = operation.method.as_str();
    match parameter["in"].as_str() {
        Some("path") => {
            let encoded = percent_encoded(&text);
            let writable = !text.is_empty();
            let path = operation.path(|other| match other == name {
                true => encoded.clone(),
                false => ids.id(other),
            });
            writable.then(|| with_required(client.call(method, &path)))
        }
        Some("query") => {
            let path = format!("{good}?{name}={}", percent_encoded(&text));
            Some(with_required(client.call(method, &path)))
        }
        _ => {
            let writable = text.is_ascii() && text.trim() == text;
            writable.then(|| with_required(client.call(method, &good)).header(name, &text))
        }
    }
}

fn requires_key(operation: &Operation) -> bool {
    let key = |parameter: &Value| parameter["name"] == "Idempotency-Key" && parameter["required"] == true;
    operation.parameters.iter().any(key)
}

/// Things that are there, so that only the parameter in question can be wrong.
struct Ids {
    job: String,
    step: String,
    artifact: String,
    endpoint: String,
}

impl Ids {
    async fn of_real_things(server: &Server, client: &Client) -> Self {
        let job = submit_transcription(client).await;
        let result = server.finished(client, &job).await["result"].clone();
        let steps = client.get(&format!("/v1/jobs/{job}/steps")).send().await.json();
        let body = json!({"url": "https://127.0.0.1:9/hook"});
        let call = client.post("/v1/webhook_endpoints").idempotency_key("ids").json(&body);
        Self {
            step: steps["data"][0]["id"].as_str().expect("a step").to_owned(),
            artifact: result["artifacts"][0]["id"].as_str().expect("an artifact").to_owned(),
            endpoint: call.send().await.expect_status(201).id(),
            job,
        }
    }

    fn id(&self, parameter: &str) -> String {
        match parameter {
            "jobId" => self.job.clone(),
            "stepId" => self.step.clone(),
            "artifactId" => self.artifact.clone(),
            "endpointId" => self.endpoint.clone(),
            other => panic!("a path parameter `{other}` that is not of the interface"),
        }
    }
}

fn with_body(call: Call, operation: &Operation, form: &Form) -> Call {
    match operation.template.as_str() {
        "/v1/audio/transcriptions" => call.form(form),
        "/v1/audio/analyses" => call.json(&analysis()),
        "/v1/webhook_endpoints" if operation.method == "POST" => {
            call.json(&json!({"url": "https://127.0.0.1:9/hook"}))
        }
        _ => call,
    }
}

fn percent_encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}
