//! Bodies that are announced and arrive slowly or not at all.

use auris_e2e::requests::{post_analysis, transcription_form};
use auris_e2e::{DatabaseKind, Form, RawRequest, Server};
use serde_json::{Value, json};

use super::garbage::nothing_is_stored;

const JSON: &str = "application/json";
/// The largest body of an analysis.
const LARGEST: usize = 256 << 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_that_never_arrive_do_not_keep_another_project_waiting() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let other = server.client_of_new_project("other");
    let mut silent = Vec::new();
    for _ in 0..2 {
        let mut request = RawRequest::begin(&client, "/v1/audio/analyses", JSON, LARGEST).await;
        request.expect_continue().await;
        request.send(b"{").await;
        silent.push(request);
    }
    // More than the part of a body that is never counted.
    let body = json!({"transcript": {"text": "word ".repeat(100_000)}, "processing": {"topics": {}}});
    post_analysis(&other, &body).await.expect_status(202);
    let endpoint = other.post("/v1/webhook_endpoints").idempotency_key("one");
    endpoint.json(&json!({"url": "https://127.0.0.1:9/hook"})).send().await.expect_status(201);
    // The same key is not kept waiting either.
    post_analysis(&client, &body).await.expect_status(202);
    drop(silent);
}

/// Takes the half minute that every body is allowed, whatever its rate.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_arrives_too_slowly_is_refused_and_its_connection_is_closed() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let before = server.files();
    let form = transcription_form(&client).await.text("async", "true").encode();
    let content_type = Form::content_type();
    let drip_json = async {
        let request = RawRequest::begin(&client, "/v1/audio/analyses", JSON, LARGEST).await;
        after_continue(request, b"{").await
    };
    let drip_form = async {
        let request =
            RawRequest::begin(&client, "/v1/audio/transcriptions", &content_type, 2 * form.len()).await;
        after_continue(request, &form[..form.len() / 2]).await
    };
    let (json, form) = tokio::join!(drip_json, drip_form);
    expect_refusal(
        &json,
        "invalid_json",
        "The body cannot be read: it arrived at less than 32 KiB per second.",
    );
    expect_refusal(
        &form,
        "invalid_multipart",
        "The form cannot be read: it arrived at less than 4 KiB per second.",
    );
    nothing_is_stored(&server, &client, &before).await;
}

/// Sends the start of the body, and then almost nothing. Returns what the server sent until it closed the connection.
async fn after_continue(mut request: RawRequest, start: &[u8]) -> String {
    request.expect_continue().await;
    request.send(start).await;
    request.drip().await
}

#[track_caller]
fn expect_refusal(answer: &str, code: &str, message: &str) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: `{answer}`"));
    assert!(head.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(head.to_lowercase().contains("\r\nconnection: close"), "{answer}");
    let body: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("not JSON: `{answer}`"));
    assert_eq!((&body["error"]["code"], &body["error"]["message"]), (&json!(code), &json!(message)));
}
