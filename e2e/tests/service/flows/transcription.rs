//! Transcription: synchronous, streamed, and as a job.

use auris_e2e::finished_job::{download, wait_and_check};
use auris_e2e::requests::{model_for, post_transcription, transcription_form};
use auris_e2e::settings::CALL_DEADLINE_SECONDS;
use auris_e2e::{DatabaseKind, Form, Server, ServerOptions, both_databases, silent_wav, wav};
use serde_json::json;

#[tokio::test]
async fn a_recording_is_transcribed_synchronously_as_json_or_as_text() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let form = transcription_form(&client).await.without("file").file(wav(8_470));
    let reply = post_transcription(&client, &form).await.expect_status(200);
    let answer = reply.json();
    assert_eq!(answer["usage"], json!({"type": "duration", "seconds": 9}), "8.47 s are charged as 9");
    let text = answer["text"].as_str().expect("a text");
    assert!(!text.is_empty());
    let reply = post_transcription(&client, &form.text("response_format", "text")).await;
    let reply = reply.expect_status(200);
    assert_eq!(reply.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(reply.text(), text);
    let jobs = client.get("/v1/jobs").send().await.json();
    assert_eq!(jobs["data"], json!([]), "a synchronous call creates no job");
}

#[tokio::test]
async fn a_streamed_transcription_ends_with_the_joined_text() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let form = transcription_form(&client).await.without("file").file(wav(12_000));
    let whole = post_transcription(&client, &form).await.expect_status(200).json();
    let call = client.post("/v1/audio/transcriptions").form(&form.text("stream", "true"));
    let events = call.stream().await.rest().await;
    let of_kind = |kind: &'static str| events.iter().filter(move |event| event.kind == kind);
    let deltas: String = of_kind("transcript.text.delta").map(|e| text(&e.json()["delta"])).collect();
    let done: Vec<_> = of_kind("transcript.text.done").collect();
    assert_eq!(done.len(), 1, "{events:?}");
    assert_eq!(done[0].json()["text"], whole["text"]);
    assert_eq!(done[0].json()["usage"], whole["usage"]);
    assert_eq!(json!(deltas), whole["text"]);
    assert!(of_kind("transcript.text.segment").count() >= 2, "{events:?}");
    assert_eq!(events.last().map(|event| event.data.as_str()), Some("[DONE]"));
}

#[tokio::test]
async fn silence_has_an_empty_text() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let form = transcription_form(&client).await.without("file").file(silent_wav(2_000));
    let answer = post_transcription(&client, &form).await.expect_status(200).json();
    assert_eq!(answer, json!({"text": "", "usage": {"type": "duration", "seconds": 2}}));
}

#[tokio::test]
async fn parts_may_come_in_any_order_and_unknown_parts_are_ignored() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let model = model_for(&client, "transcription").await;
    let form = Form::new()
        .text("temperature", "0")
        .text("timestamp_granularities[]", "word")
        .text("model", model)
        .text("language", "en")
        .text("prompt", "Names and words")
        .file(wav(400));
    post_transcription(&client, &form).await.expect_status(200);
}

#[tokio::test]
async fn a_model_that_cannot_transcribe_is_refused() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let form = transcription_form(&client).await;
    let model = model_for(&client, "summary").await;
    if model_for(&client, "transcription").await != model {
        let reply = post_transcription(&client, &form.clone().with("model", model)).await;
        let error = reply.expect_error(400, "model_capability_mismatch");
        assert_eq!(error.param.as_deref(), Some("model"));
    }
    let reply = post_transcription(&client, &form.with("model", "no-such-model")).await;
    let error = reply.expect_error(404, "model_not_found");
    assert_eq!(error.param.as_deref(), Some("model"));
}

#[tokio::test]
async fn an_engine_failure_in_a_synchronous_call_is_reported_as_unavailable() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let form = transcription_form(&client).await;
    for (prompt, status) in [("fake:overloaded", 503), ("fake:fail", 503), ("fake:internal", 500)] {
        let reply = post_transcription(&client, &form.clone().text("prompt", prompt)).await;
        assert_eq!(reply.status, status, "{prompt}: {reply}");
        let hides_the_cause = !reply.error().message.contains("fake model");
        assert!(hides_the_cause || status == 503, "{reply}");
    }
}

#[tokio::test]
async fn a_call_over_its_deadline_is_not_repeated_by_client_libraries() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with(CALL_DEADLINE_SECONDS, 2).start().await;
    let client = server.client();
    let form = transcription_form(&client).await.without("file").file(wav(60_000));
    // A delay for each five seconds of the recording.
    let slow = form.text("prompt", "fake:delay=600");
    let reply = post_transcription(&client, &slow).await;
    assert_eq!(reply.header("x-should-retry"), "false");
    reply.expect_error(503, "engine_overloaded");
    let call = client.post("/v1/audio/transcriptions").form(&slow.text("stream", "true"));
    let events = call.stream().await.rest().await;
    let last = events.last().expect("an event");
    assert_eq!(last.kind, "error", "{events:?}");
    assert_eq!(last.json()["error"]["code"], "engine_overloaded");
    assert!(events.len() > 1 && events.iter().all(|event| event.data != "[DONE]"), "{events:?}");
}

both_databases! {
    async fn a_transcription_job_has_its_artifacts(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let audio = wav(8_470);
        let form = transcription_form(&client).await.without("file").file(audio.clone());
        let spoken = post_transcription(&client, &form).await.expect_status(200).json();
        let reply = post_transcription(&client, &form.text("async", "true")).await.expect_status(202);
        assert!(["queued", "in_progress"].contains(&text(&reply.json()["status"]).as_str()));
        let job = wait_and_check(&server, &client, &reply.id()).await;
        assert_eq!(job["status"], "completed", "{job}");
        assert_eq!(job["operation"], "transcription");
        assert_eq!(job["result"]["transcript"]["text"], spoken["text"]);
        assert_eq!(job["usage"]["audio_seconds"], 9);
        assert_eq!(job["progress"]["percent"], 100);
        let artifacts = job["result"]["artifacts"].as_array().expect("a list");
        let purposes: Vec<String> = artifacts.iter().map(|artifact| text(&artifact["purpose"])).collect();
        for purpose in ["input.audio", "transcript.json", "transcript.txt", "transcript.srt", "transcript.vtt"] {
            assert!(purposes.iter().any(|found| found == purpose), "{purpose} in {purposes:?}");
        }
        for artifact in artifacts {
            let bytes = download(&client, &text(&artifact["id"])).await.expect_status(200).body;
            match text(&artifact["purpose"]).as_str() {
                "input.audio" => assert_eq!(bytes, audio),
                "transcript.txt" => assert_eq!(String::from_utf8_lossy(&bytes).trim(), text(&spoken["text"])),
                "transcript.vtt" => assert!(bytes.starts_with(b"WEBVTT")),
                _ => assert!(!bytes.is_empty()),
            }
        }
    }

    async fn a_failed_transcription_fails_its_job(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let form = transcription_form(&client).await.text("async", "true").text("prompt", "fake:fail");
        let id = post_transcription(&client, &form).await.expect_status(202).id();
        let job = wait_and_check(&server, &client, &id).await;
        assert_eq!(job["status"], "failed", "{job}");
        assert_eq!(job["error"]["step_key"], "transcription");
        assert_eq!(job["error"]["code"], "backend_error");
    }
}

fn text(value: &serde_json::Value) -> String {
    value.as_str().expect("a text").to_owned()
}
