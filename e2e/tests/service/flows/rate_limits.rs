//! Limits per key and per project.

use auris_e2e::requests::{post_analysis, post_transcription, transcription_form};
use auris_e2e::settings::{
    CONCURRENT_STREAMS, CONCURRENT_TRANSCRIPTIONS, CONCURRENT_UPLOADS, PROJECT_REQUESTS_PER_MINUTE,
    REQUESTS_PER_MINUTE,
};
use auris_e2e::{Client, DatabaseKind, Form, RawRequest, ServerOptions, eventually};
use serde_json::json;

#[tokio::test]
async fn a_key_over_its_rate_limit_is_refused_and_another_key_is_not() {
    // One request every 30 seconds, so that the bucket does not refill during the test.
    let server = ServerOptions::new(DatabaseKind::Sqlite).with(REQUESTS_PER_MINUTE, 2).start().await;
    let client = server.client();
    let other = server.client();
    for left in [1, 0] {
        let reply = client.get("/v1/jobs").send().await.expect_status(200);
        assert_eq!(reply.header("x-ratelimit-limit-requests"), "2");
        assert_eq!(reply.header("x-ratelimit-remaining-requests"), left.to_string());
        assert_ne!(reply.header("x-ratelimit-reset-requests"), "");
    }
    let reply = client.get("/v1/jobs").send().await;
    assert_eq!(reply.header("x-ratelimit-remaining-requests"), "0");
    reply.expect_error(429, "rate_limit_exceeded");
    other.get("/v1/jobs").send().await.expect_status(200);
}

#[tokio::test]
async fn the_keys_of_a_project_share_its_limit_and_every_answer_reports_it() {
    let server =
        ServerOptions::new(DatabaseKind::Sqlite).with(PROJECT_REQUESTS_PER_MINUTE, 1000).start().await;
    server.auris(&["projects", "create", "small", "--requests-per-minute", "6"]);
    let one = server.client_with(&["--project", "small"]);
    let other = server.client_with(&["--project", "small"]);
    let answers = [
        one.get("/v1/models").send().await.expect_status(200),
        other.get("/v1/jobs/job_00000000000000000000").send().await.expect_status(404),
        one.post("/v1/webhook_endpoints").send().await.expect_status(400),
        other.post("/v1/audio/analyses").json(&json!({})).send().await.expect_status(400),
        one.get("/v1/jobs/job_1").send().await.expect_status(400),
        other.get("/v1/jobs?limit=0").send().await.expect_status(400),
        one.get("/v1/models").send().await.expect_status(429),
        other.get("/v1/models").send().await.expect_status(429),
    ];
    for (answer, left) in answers.iter().zip([5, 4, 3, 2, 1, 0, 0, 0]) {
        assert_eq!(answer.header("x-ratelimit-limit-requests"), "6", "{answer}");
        assert_eq!(answer.header("x-ratelimit-remaining-requests"), left.to_string(), "{answer}");
        assert!(answer.header("x-ratelimit-reset-requests").ends_with('s'), "{answer}");
    }
    let refused = answers[7].error();
    assert!(
        refused.message.contains("project") && !answers[7].header("retry-after").is_empty(),
        "{refused:?}"
    );
    let elsewhere = server.client().get("/v1/models").send().await.expect_status(200);
    assert_eq!(elsewhere.header("x-ratelimit-limit-requests"), "1000");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_over_its_concurrent_transcriptions_is_refused_until_one_ends() {
    let options = ServerOptions::new(DatabaseKind::Sqlite).with(CONCURRENT_TRANSCRIPTIONS, 2);
    let server = options.start().await;
    let client = server.client();
    let form = transcription_form(&client).await;
    // Two calls that hold their slots until they are aborted.
    let endless = form.clone().text("prompt", "fake:delay=3000000");
    let first = tokio::spawn(hold_slot(client.clone(), endless.clone()));
    let second = tokio::spawn(hold_slot(client.clone(), endless));
    let refused = eventually("both slots to be in use", || async {
        let reply = post_transcription(&client, &form).await;
        (reply.status != 200).then_some(reply)
    })
    .await;
    refused.expect_error(429, "concurrency_limit_exceeded");
    first.abort();
    eventually("the slot of the aborted call to be free", || async {
        (post_transcription(&client, &form).await.status == 200).then_some(())
    })
    .await;
    second.abort();
}

/// Sends the form until it gets a slot, which the calls of the test may occupy for a moment, and then holds the slot.
async fn hold_slot(client: Client, form: Form) {
    while post_transcription(&client, &form).await.status == 429 {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_over_the_limit_of_its_key_waits_unread_until_another_ends() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with(CONCURRENT_UPLOADS, 1).start().await;
    let client = server.client();
    let form = transcription_form(&client).await.text("async", "true");
    let body = form.encode();
    let (start, rest) = body.split_at(body.len() / 2);
    let content_type = Form::content_type();
    let upload = || RawRequest::begin(&client, "/v1/audio/transcriptions", &content_type, body.len());
    let mut first = upload().await;
    first.expect_continue().await;
    first.send(start).await;
    let mut second = upload().await;
    // Another key has its own limit. By the time of its answer, the second upload has reached the server too.
    post_transcription(&server.client(), &form).await.expect_status(202);
    assert!(second.is_unanswered());
    first.send(rest).await;
    second.expect_continue().await;
    second.send(&body).await;
    for upload in [&mut first, &mut second] {
        let head = upload.head().await;
        assert!(head.starts_with("HTTP/1.1 202 "), "{head}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_that_is_broken_off_no_longer_counts() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with(CONCURRENT_UPLOADS, 1).start().await;
    let client = server.client();
    let form = transcription_form(&client).await.text("async", "true");
    let length = form.encode().len();
    let mut first =
        RawRequest::begin(&client, "/v1/audio/transcriptions", &Form::content_type(), length).await;
    first.expect_continue().await;
    drop(first);
    post_transcription(&client, &form).await.expect_status(202);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_over_its_event_streams_is_refused_until_one_is_closed() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with(CONCURRENT_STREAMS, 2).start().await;
    let client = server.client();
    let text = "Anna met Boris. fake:delay=3000000";
    let body = json!({"transcript": {"text": text}, "processing": {"summary": {}}});
    let id = post_analysis(&client, &body).await.expect_status(202).id();
    let path = format!("/v1/jobs/{id}/events");
    let mut first = client.get(&path).stream().await;
    let _second = client.get(&path).stream().await;
    // Its connection has left the HTTP library, and it still counts.
    first.next().await.expect("an event");
    let third = client.get(&path).open_stream().await.expect("an answer");
    let refused = third.err().expect("a third stream is refused");
    assert!(!refused.header("retry-after").is_empty(), "{refused}");
    refused.expect_error(429, "concurrency_limit_exceeded");
    // Another key has its own limit.
    server.client().get(&path).stream().await;
    drop(first);
    eventually("the slot of the closed stream to be free", || async {
        client.get(&path).open_stream().await.expect("an answer").ok()
    })
    .await;
}
