//! Boundary values of the upload form.

use auris_e2e::boundary_values::{BoundaryCase, Rule, cases_of_value};
use auris_e2e::requests::{post_transcription, transcription_form};
use auris_e2e::{DatabaseKind, Form, Server, contract};
use serde_json::Value;

use super::expected_answer::{mistake, report};

const MEGABYTE: usize = 1_048_576;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_part_of_the_upload_form_is_accepted_at_its_limits_and_refused_beyond() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let form = transcription_form(&client).await;
    let mut mistakes = Vec::new();
    let cases = form_cases();
    for case in &cases {
        let value = case.value().and_then(Value::as_str).unwrap_or_default();
        let form = accepting(form.clone(), &case.param).with(&case.param, value);
        mistakes.extend(mistake(case, &post_transcription(&client, &form).await));
    }
    report(cases.len(), mistakes);
}

#[tokio::test]
async fn a_form_without_a_required_part_is_refused_with_its_name() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let form = transcription_form(&client).await;
    for part in ["file", "model"] {
        let reply = post_transcription(&client, &form.clone().without(part)).await;
        let error = reply.expect_error(400, "missing_required_parameter");
        assert_eq!(error.param.as_deref(), Some(part));
    }
}

#[tokio::test]
async fn booleans_of_the_form_are_accepted_in_all_spellings() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let form = transcription_form(&client).await;
    for (spelling, status) in
        [("true", 202), ("TRUE", 202), ("1", 202), ("false", 200), ("False", 200), ("0", 200)]
    {
        let form = form.clone().with("async", spelling);
        post_transcription(&client, &form).await.expect_status(status);
    }
    for (part, spelling) in
        [("async", "yes"), ("async", ""), ("async", "2"), ("stream", "on"), ("stream", "truetrue")]
    {
        let reply = post_transcription(&client, &form.clone().with(part, spelling)).await;
        assert_eq!(reply.status, 400, "{part}={spelling}: {reply}");
        assert_eq!(reply.error().param.as_deref(), Some(part));
        assert!(["invalid_type", "invalid_value"].contains(&reply.error().code.as_str()), "{reply}");
    }
}

#[tokio::test]
async fn a_file_over_the_limit_is_refused_with_advice() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let before = server.files();
    let form = transcription_form(&client).await.without("file");
    let too_big_now = form.clone().file(vec![0; 25 * MEGABYTE + 1]);
    let error = post_transcription(&client, &too_big_now).await.expect_error(400, "file_too_large");
    assert_eq!(error.param.as_deref(), Some("file"));
    assert!(error.message.contains("async=true"), "{}", error.message);
    let too_big_ever = form.text("async", "true").file(vec![0; 95 * MEGABYTE + 1]);
    let error = post_transcription(&client, &too_big_ever).await.expect_error(400, "file_too_large");
    assert_eq!(error.param.as_deref(), Some("file"));
    assert_eq!(server.files(), before, "a refused upload is removed");
}

fn form_cases() -> Vec<BoundaryCase> {
    let operation = contract().operation("POST", "/v1/audio/transcriptions").expect("an operation");
    let body = contract().resolve(&operation.definition["requestBody"]);
    let schema = contract().resolve(&body["content"]["multipart/form-data"]["schema"]);
    let properties = schema["properties"].as_object().expect("a form has parts");
    let cases = properties
        .iter()
        .filter(|(name, _)| !["file", "async", "stream"].contains(&name.as_str()))
        .flat_map(|(name, schema)| cases_of_value(schema, name));
    // In a form everything is text, so there are no wrong types.
    let cases: Vec<BoundaryCase> = cases.filter(|case| case.rule != Rule::Type).collect();
    assert!(cases.len() > 10, "only {} cases were generated", cases.len());
    cases
}

// Some parts are valid only together with another.
fn accepting(form: Form, part: &str) -> Form {
    match part {
        "webhook_url" => form.with("async", "true"),
        _ => form,
    }
}
