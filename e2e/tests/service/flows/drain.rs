//! A graceful stop: running steps are finished or returned to the queue, and nothing is lost.

use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::{post_analysis, post_transcription, transcription_form};
use auris_e2e::settings::{CONCURRENT_CALLS, DRAIN_SECONDS, LEASE_SECONDS};
use auris_e2e::{Client, DatabaseKind, Form, Reply, ServerOptions, both_databases, eventually, wav};
use serde_json::json;

both_databases! {
    async fn a_stopping_server_finishes_running_steps(database: DatabaseKind) {
        let mut server = ServerOptions::new(database).with(DRAIN_SECONDS, 30).start().await;
        let client = server.client();
        let id = running_job(&client, 5_000).await;
        let status = server.terminate().await;
        assert!(status.success(), "{status}");
        assert!(!server.data().join("serve.json").exists(), "serve.json is removed when the server stops");
        server.restart().await;
        let client = server.reconnect(&client);
        let job = client.get(&format!("/v1/jobs/{id}")).send().await.expect_status(200).json();
        assert_eq!(job["status"], "completed", "it was completed before the server stopped: {job}");
        wait_and_check(&server, &client, &id).await;
    }

    async fn a_step_that_does_not_finish_in_time_is_run_by_the_next_server(database: DatabaseKind) {
        let options = ServerOptions::new(database).with(DRAIN_SECONDS, 1).with(LEASE_SECONDS, 3);
        let mut server = options.start().await;
        let client = server.client();
        let id = running_job(&client, 4_000).await;
        server.terminate().await;
        server.restart().await;
        let client = server.reconnect(&client);
        let job = wait_and_check(&server, &client, &id).await;
        assert_eq!(job["status"], "completed", "{job}");
    }
}

async fn running_job(client: &Client, milliseconds: u32) -> String {
    let text = format!("Anna met Boris. fake:delay={milliseconds}");
    let body = json!({"transcript": {"text": text}, "processing": {"summary": {}}});
    let id = post_analysis(client, &body).await.expect_status(202).id();
    eventually("the job to run", || async {
        let job = client.get(&format!("/v1/jobs/{id}")).send().await.expect_status(200).json();
        (job["status"] == "in_progress").then_some(())
    })
    .await;
    id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_outlasts_the_drain_time_is_answered() {
    let options = ServerOptions::new(DatabaseKind::Sqlite).with(DRAIN_SECONDS, 1).with(CONCURRENT_CALLS, 1);
    let mut server = options.start().await;
    let client = server.client();
    let form = transcription_form(&client).await;
    let endless = form.clone().text("prompt", "fake:delay=3000000");
    let held = tokio::spawn(hold_slot(client.clone(), endless));
    eventually("the call to run", || async {
        (post_transcription(&client, &form).await.status == 503).then_some(())
    })
    .await;
    let status = server.terminate().await;
    assert!(status.success(), "{status}");
    held.await.expect("the call is answered").expect_error(503, "shutting_down");
}

/// Sends the form until it gets the only slot, and returns the answer.
async fn hold_slot(client: Client, form: Form) -> Reply {
    loop {
        let reply = post_transcription(&client, &form).await;
        if reply.status != 503 || reply.error().code != "engine_overloaded" {
            return reply;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_outlasts_the_drain_time_ends_with_an_error_event() {
    let mut server = ServerOptions::new(DatabaseKind::Sqlite).with(DRAIN_SECONDS, 1).start().await;
    let client = server.client();
    // A delay for each five seconds of the recording, so that it takes minutes.
    let form = transcription_form(&client).await.without("file").file(wav(300_000));
    let form = form.text("stream", "true").text("prompt", "fake:delay=2000");
    let mut stream = client.post("/v1/audio/transcriptions").form(&form).stream().await;
    stream.next().await.expect("the stream has begun");
    server.signal("TERM");
    let events = stream.rest().await;
    let last = events.last().expect("an event");
    assert_eq!(last.kind, "error", "{events:?}");
    assert_eq!(last.json()["error"]["code"], "shutting_down");
    assert!(events.iter().all(|event| event.data != "[DONE]"), "{events:?}");
    let status = server.exited().await;
    assert!(status.success(), "{status}");
}
