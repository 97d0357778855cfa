//! Limits per key and per project.

use auris_e2e::requests::{post_transcription, transcription_form};
use auris_e2e::settings::{CONCURRENT_TRANSCRIPTIONS, PROJECT_REQUESTS_PER_MINUTE, REQUESTS_PER_MINUTE};
use auris_e2e::{DatabaseKind, ServerOptions};
use serde_json::json;

#[tokio::test]
async fn a_key_over_its_rate_is_told_when_to_come_back() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with(REQUESTS_PER_MINUTE, 5).start().await;
    let (client, other) = (server.client(), server.client());
    for left in (0..5).rev() {
        let reply = client.get("/v1/jobs").send().await.expect_status(200);
        assert_eq!(reply.header("x-ratelimit-limit-requests"), "5");
        assert_eq!(reply.header("x-ratelimit-remaining-requests"), left.to_string());
        assert_ne!(reply.header("x-ratelimit-reset-requests"), "");
    }
    let reply = client.get("/v1/jobs").send().await;
    assert_eq!(reply.header("x-ratelimit-remaining-requests"), "0");
    reply.expect_error(429, "rate_limit_exceeded");
    other.get("/v1/jobs").send().await.expect_status(200);
}

#[tokio::test]
async fn the_keys_of_a_project_share_its_limit_and_every_answer_tells_it() {
    let server =
        ServerOptions::new(DatabaseKind::Sqlite).with(PROJECT_REQUESTS_PER_MINUTE, 1000).start().await;
    server.auris(&["projects", "create", "small", "--requests-per-minute", "6"]);
    let (one, other) =
        (server.client_with(&["--project", "small"]), server.client_with(&["--project", "small"]));
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
async fn a_key_has_only_so_many_synchronous_transcriptions_at_once() {
    let options = ServerOptions::new(DatabaseKind::Sqlite).with(CONCURRENT_TRANSCRIPTIONS, 2);
    let server = options.start().await;
    let client = server.client();
    let form = transcription_form(&client).await;
    let slow = form.clone().text("prompt", "fake:delay=3000");
    let calls = (0..4).map(|_| post_transcription(&client, &slow));
    let replies = futures::future::join_all(calls).await;
    let (done, refused): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status == 200);
    assert_eq!(done.len(), 2, "{refused:?}");
    for reply in refused {
        reply.expect_error(429, "concurrency_limit_exceeded");
    }
    post_transcription(&client, &form).await.expect_status(200);
}
