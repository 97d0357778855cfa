//! Boundary values of path, query and header parameters.

use auris_e2e::boundary_values::{BoundaryCase, Change, Rule, cases_of_value};
use auris_e2e::requests::{analysis, submit_transcription, transcription_form};
use auris_e2e::{Call, Client, DatabaseKind, Form, Operation, Server, contract};
use serde_json::{Value, json};

use super::expected_answer::{mistake, report};

/// The text of a header or query value.
fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_parameter_is_accepted_at_its_limits_and_refused_beyond() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let ids = Ids::of_real_objects(&server, &client).await;
    let form = transcription_form(&client).await.text("async", "true");
    let mut cases = 0;
    let mut mistakes = Vec::new();
    for operation in contract().operations() {
        let target = Target { client: &client, operation, ids: &ids };
        for parameter in &operation.parameters {
            for case in parameter_cases(parameter) {
                let Some(call) = target.call_with(parameter, &case) else {
                    continue;
                };
                cases += 1;
                let reply = with_body(call, operation, &form).send().await;
                mistakes.extend(mistake(&case, &reply));
            }
        }
    }
    assert!(cases > 150, "only {cases} cases were generated");
    report(cases, mistakes);
}

#[tokio::test]
async fn a_webhook_endpoint_without_an_idempotency_key_is_refused() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let body = json!({"url": "https://127.0.0.1:9/hook"});
    let reply = server.client().post("/v1/webhook_endpoints").json(&body).send().await;
    let error = reply.expect_error(400, "idempotency_key_required");
    assert_eq!(error.param.as_deref(), Some("Idempotency-Key"));
}

#[tokio::test]
async fn the_wrong_segment_of_a_path_is_named() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let job = "job_00000000000000000000";
    let step = "stp_00000000000000000000";
    for (path, wrong) in [
        ("/v1/jobs/%FF".to_owned(), "jobId"),
        (format!("/v1/jobs/{job}/steps/%FF"), "stepId"),
        (format!("/v1/jobs/{job}/steps/stp_1"), "stepId"),
        (format!("/v1/jobs/%FF/steps/{step}"), "jobId"),
        (format!("/v1/jobs/job_1/steps/{step}"), "jobId"),
        ("/v1/artifacts/%FF/content".to_owned(), "artifactId"),
    ] {
        let error = client.get(&path).send().await.expect_error(400, "invalid_id");
        assert_eq!(error.param.as_deref(), Some(wrong), "{path}: {}", error.message);
    }
}

fn parameter_cases(parameter: &Value) -> Vec<BoundaryCase> {
    let name = parameter["name"].as_str().expect("a parameter has a name");
    let mut cases = cases_of_value(&parameter["schema"], name);
    // Parameters are sent as text, so a number is also a valid text.
    let number = contract().resolve(&parameter["schema"])["type"] == "integer";
    cases.retain(|case| case.rule != Rule::Type || (number && case.value().is_some_and(is_plain)));
    for case in cases.iter_mut().filter(|case| case.rule == Rule::Type) {
        // The value of `limit=words` is a text and has no other type.
        case.rule = Rule::Enum;
    }
    if number {
        cases.extend(
            ["-1", "1.5", "0x10", "99999999999999999999", "", " ", "+"].map(|text| not_a_number(name, text)),
        );
    }
    cases
}

fn is_plain(value: &Value) -> bool {
    value.is_string() || value.is_boolean() || value.is_null()
}

fn not_a_number(name: &str, text: &str) -> BoundaryCase {
    BoundaryCase {
        param: name.to_owned(),
        rule: Rule::Enum,
        keeps: false,
        change: Change::Put(json!(text)),
        document: json!({}),
    }
}

/// An operation that is called with one parameter changed, on objects that exist.
struct Target<'a> {
    client: &'a Client,
    operation: &'a Operation,
    ids: &'a Ids,
}

impl Target<'_> {
    /// `None` if the value cannot be sent in this position.
    fn call_with(&self, parameter: &Value, case: &BoundaryCase) -> Option<Call> {
        let Self { client, operation, ids } = self;
        let name = parameter["name"].as_str().unwrap_or_default();
        let text = as_text(case.value()?);
        let good = operation.path(|other| ids.id(other));
        let with_required = |call: Call| match requires_key(operation) && name != "Idempotency-Key" {
            true => call.idempotency_key(&format!("case-{}", rand::random::<u64>())),
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
}

fn requires_key(operation: &Operation) -> bool {
    let key = |parameter: &Value| parameter["name"] == "Idempotency-Key" && parameter["required"] == true;
    operation.parameters.iter().any(key)
}

/// Ids of existing objects, so that only the tested parameter can be wrong.
struct Ids {
    job: String,
    step: String,
    artifact: String,
    endpoint: String,
}

impl Ids {
    async fn of_real_objects(server: &Server, client: &Client) -> Self {
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
            other => panic!("unknown path parameter `{other}`"),
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
