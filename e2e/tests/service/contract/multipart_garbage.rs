//! Broken upload forms, and forms with wrong parts.

use auris_e2e::requests::transcription_form;
use auris_e2e::{Client, DatabaseKind, Form, Reply, Server};

use super::garbage::nothing_is_stored;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broken_form_is_refused_and_not_stored() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let before = server.files();
    let form = transcription_form(&client).await.text("async", "true");
    for broken in broken_forms(&form) {
        broken.must_be_refused(&client).await;
    }
    nothing_is_stored(&server, &client, &before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_with_wrong_parts_is_refused_and_not_stored() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let before = server.files();
    let form = transcription_form(&client).await.text("async", "true");
    for (name, form, codes) in forms_with_wrong_parts(&form) {
        let body = form.encode();
        let broken = BrokenForm { name, content_type: Form::content_type(), body, codes };
        broken.must_be_refused(&client).await;
    }
    let unknown = form.with("model", "no-such-model");
    send(&client, &Form::content_type(), unknown.encode()).await.expect_error(404, "model_not_found");
    nothing_is_stored(&server, &client, &before).await;
}

/// A form that must be refused with one of the codes.
struct BrokenForm {
    name: &'static str,
    content_type: String,
    body: Vec<u8>,
    codes: &'static [&'static str],
}

impl BrokenForm {
    async fn must_be_refused(self, client: &Client) {
        let Self { name, content_type, body, codes } = self;
        let reply = send(client, &content_type, body).await;
        assert_eq!(reply.status, 400, "{name}: {reply}");
        assert!(codes.contains(&reply.error().code.as_str()), "{name}: {reply}");
    }
}

fn broken_forms(form: &Form) -> impl Iterator<Item = BrokenForm> {
    let valid = form.encode();
    let kind = Form::content_type();
    let cases: [(&str, String, Vec<u8>, &[&str]); 12] = [
        (
            "no boundary",
            "multipart/form-data".into(),
            valid.clone(),
            &["invalid_multipart", "invalid_content_type"],
        ),
        (
            "an empty boundary",
            "multipart/form-data; boundary=".into(),
            valid.clone(),
            &["invalid_multipart", "invalid_content_type"],
        ),
        (
            "another boundary",
            "multipart/form-data; boundary=other".into(),
            valid.clone(),
            &["invalid_multipart"],
        ),
        ("no closing boundary", kind.clone(), form.encode_open(), &["invalid_multipart"]),
        ("half a body", kind.clone(), valid[..valid.len() / 2].to_vec(), &["invalid_multipart"]),
        ("an empty body", kind.clone(), vec![], &["invalid_multipart", "missing_required_parameter"]),
        (
            "parts without names",
            kind.clone(),
            form.encode_with_disposition("Content-Disposition: form-data"),
            &["invalid_multipart"],
        ),
        (
            "parts without a disposition",
            kind.clone(),
            form.encode_with_disposition("X-Other: 1"),
            &["invalid_multipart"],
        ),
        (
            "broken part headers",
            kind.clone(),
            form.encode_with_disposition("\u{1}\u{2}\u{3}"),
            &["invalid_multipart"],
        ),
        ("JSON", "application/json".into(), b"{}".to_vec(), &["invalid_content_type"]),
        ("no content type", String::new(), valid.clone(), &["invalid_content_type"]),
        ("a mixed body", "multipart/mixed; boundary=x".into(), valid.clone(), &["invalid_content_type"]),
    ];
    cases.into_iter().map(|(name, content_type, body, codes)| BrokenForm { name, content_type, body, codes })
}

type WrongForm = (&'static str, Form, &'static [&'static str]);

fn forms_with_wrong_parts(form: &Form) -> Vec<WrongForm> {
    let too_many = (0..70).fold(form.clone(), |form, index| form.text(&format!("extra{index}"), "x"));
    vec![
        (
            "a field twice",
            form.clone().text("model", "another"),
            &["invalid_multipart", "invalid_value", "invalid_combination"],
        ),
        (
            "two files",
            form.clone().file(vec![1, 2, 3]),
            &["invalid_multipart", "invalid_value", "invalid_combination"],
        ),
        (
            "bad UTF-8",
            form.clone().part("prompt", None, vec![0xff, 0xfe]),
            &["invalid_value", "invalid_multipart", "invalid_type"],
        ),
        ("a NUL", form.clone().text("prompt", "a\0b"), &["invalid_value"]),
        ("an empty file", form.clone().without("file").file(vec![]), &["empty_file"]),
        (
            "no audio",
            form.clone().without("file").file(b"this is not audio at all".repeat(50)),
            &["unsupported_audio", "no_audio_stream"],
        ),
        (
            "an unknown part that is too large",
            form.clone().text("extra", "x".repeat(100_000)),
            &["value_too_long", "body_too_large", "invalid_multipart"],
        ),
        ("too many parts", too_many, &["too_many_items", "invalid_multipart"]),
        ("a stream of a job", form.clone().text("stream", "true"), &["invalid_combination"]),
        (
            "a webhook without a job",
            form.clone().without("async").text("webhook_url", "https://127.0.0.1:9/x"),
            &["invalid_combination"],
        ),
    ]
}

async fn send(client: &Client, content_type: &str, body: Vec<u8>) -> Reply {
    client.post("/v1/audio/transcriptions").bytes(content_type, body).send().await
}
