//! The largest requests that the interface allows.

use auris_e2e::audit::audited;
use auris_e2e::requests::{post_analysis, post_transcription, transcription_form};
use auris_e2e::{DatabaseKind, Form, Server, both_databases, wav};
use serde_json::{Value, json};

const MEBIBYTE: u64 = 1_048_576;

both_databases! {
    async fn heavy_a_95_mb_upload_takes_little_memory(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let form = transcription_form(&client).await.text("async", "true");
        // The first upload makes what every upload uses: threads, pools, buffers.
        let small = post_transcription(&client, &form).await.expect_status(202).id();
        server.finished(&client, &small).await;
        let before = server.memory("VmHWM");
        // The recognition waits, so that the upload alone is measured.
        let upload = largest(form.without("file").text("prompt", "fake:delay=600000"));
        let id = post_transcription(&client, &upload).await.expect_status(202).id();
        let grown = server.memory("VmHWM") - before;
        eprintln!("the upload took {} KiB", grown / 1024);
        // An object store takes parts of 5 MiB, and the allocator keeps some of them for the next.
        let limit = match database {
            DatabaseKind::Sqlite => 16,
            DatabaseKind::Postgres => 40,
        };
        assert!(grown < limit * MEBIBYTE, "the upload took {} KiB", grown / 1024);
        client.post(&format!("/v1/jobs/{id}/cancel")).send().await.expect_status(200);
        server.finished(&client, &id).await;
    }

    async fn heavy_a_95_mb_recording_is_transcribed(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let form = transcription_form(&client).await.text("async", "true").without("file");
        let reply = post_transcription(&client, &largest(form)).await.expect_status(202);
        let job = audited(&server, &client, &reply.id()).await;
        assert_eq!(job["status"], "completed", "{}", job["error"]);
    }

    async fn heavy_the_largest_transcript_is_accepted(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let segments: Vec<Value> = (0..100_000).map(|index| json!({"text": "word", "start": index})).collect();
        let text = "word ".repeat(2_000_000);
        assert_eq!(text.len(), 10_000_000);
        let body = json!({"transcript": {"text": text, "segments": segments}, "processing": {"topics": {}}});
        let id = post_analysis(&client, &body).await.expect_status(202).id();
        let job = audited(&server, &client, &id).await;
        assert_eq!(job["status"], "completed", "{}", job["error"]);
        // Far more than 1 MiB, so it is not inline.
        assert!(job["result"]["overflow"]["artifact_id"].is_string(), "{}", job["result"]);
    }
}

// 95 MiB to the byte: 51 minutes of a tone.
fn largest(form: Form) -> Form {
    let mut audio = wav(95 * MEBIBYTE as u32 / 32);
    audio.truncate(95 * MEBIBYTE as usize);
    form.file(audio)
}
