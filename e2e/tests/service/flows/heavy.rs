//! The largest requests that the interface allows.

use std::time::Duration;

use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::{post_analysis, post_transcription, transcription_form};
use auris_e2e::{
    DatabaseKind, Form, Reply, Server, ServerOptions, both_databases, count_from_environment, eventually,
    eventually_within, wav,
};
use serde_json::{Value, json};

const MEBIBYTE: u64 = 1_048_576;
/// The bytes of the bodies whose memory is measured.
const BODY: &str = "AURIS_SOAK_BODY";
/// What the allocator may keep of earlier requests.
const SLACK: u64 = 64 * MEBIBYTE;
/// Mebibytes of address space that a server reserves.
const ADDRESS_SPACE: u32 = 3072;

both_databases! {
    async fn heavy_an_upload_of_95_mib_needs_little_memory(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let form = transcription_form(&client).await.text("async", "true");
        // The first upload allocates what all uploads share: threads, pools, buffers.
        let small = post_transcription(&client, &form).await.expect_status(202).id();
        server.finished(&client, &small).await;
        let before = server.memory("VmHWM");
        // The transcription is delayed, so that only the upload is measured.
        let upload = largest(form.without("file").text("prompt", "fake:delay=600000"));
        let id = post_transcription(&client, &upload).await.expect_status(202).id();
        let grown = server.memory("VmHWM").saturating_sub(before);
        eprintln!("the upload needed {} KiB", grown / 1024);
        // Far less than the upload. One to a bucket is sent in parts of 5 MiB, and the allocator keeps some of what was
        // freed.
        assert!(grown < 64 * MEBIBYTE, "the upload needed {} KiB", grown / 1024);
        let again = post_transcription(&client, &upload).await.expect_status(202).id();
        let grown_again = server.memory("VmHWM").saturating_sub(before + grown);
        assert!(grown_again < 64 * MEBIBYTE, "the second upload needed {} KiB more", grown_again / 1024);
        for id in [&id, &again] {
            client.post(&format!("/v1/jobs/{id}/cancel")).send().await.expect_status(200);
            server.finished(&client, id).await;
        }
    }

    async fn heavy_a_recording_of_95_mib_is_transcribed(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let form = transcription_form(&client).await.text("async", "true").without("file");
        let reply = post_transcription(&client, &largest(form)).await.expect_status(202);
        let job = wait_and_check(&server, &client, &reply.id()).await;
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
        let job = wait_and_check(&server, &client, &id).await;
        assert_eq!(job["status"], "completed", "{}", job["error"]);
        // Larger than 1 MiB, so it is an artifact and not inline.
        assert!(job["result"]["overflow"]["artifact_id"].is_string(), "{}", job["result"]);
    }
}

/// A tree of values takes up to 130 times as much memory as its text. With `AURIS_SOAK_BODY=267000000`, the bodies are
/// almost as large as a body may be, and four times that is less than 1.2 GB.
#[tokio::test]
async fn soak_heavy_a_body_needs_at_most_four_times_its_size_whatever_its_shape() {
    /// What an idle server may have more than before, ten seconds after the requests.
    const KEPT: u64 = 100 * MEBIBYTE;
    let bytes = count_from_environment(BODY, 2 << 20);
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_memory(address_space(bytes)).start().await;
    let client = server.client();
    let at_start = server.memory("VmRSS");
    let text = format!("\"{}\",", "a".repeat(100));
    let shapes = ["0,", "[0],", "{\"\":0},", "\"\",", "{\"a\":[{}]},", &text];
    // One at a time, because all of them would need much memory here.
    let lists = shapes.into_iter().map(|shape| (shape, format!("[{}]", repeated(shape, bytes))));
    let names = std::iter::once_with(|| ("a million names, nested", nested_names(bytes)));
    for (index, (shape, value)) in lists.chain(names).enumerate() {
        let body = format!(
            r#"{{"processing":{{"summary":{{"model":"missing"}}}},"transcript":{{"text":"a","x":{value}}}}}"#
        );
        let call = client.post("/v1/audio/analyses").idempotency_key(&format!("key-{index}"));
        is_refused(call.bytes("application/json", body.into_bytes()).send().await);
        let grown = server.memory("VmHWM").saturating_sub(at_start);
        eprintln!("{bytes} bytes of `{shape}`: at most {} KiB more than at the start", grown / 1024);
        assert!(grown < 4 * bytes as u64 + SLACK, "`{shape}` needed {} KiB", grown / 1024);
    }
    let is_returned = || async { (server.memory("VmRSS") < at_start + KEPT).then_some(()) };
    eventually_within(Duration::from_secs(10), "the memory to be returned", is_returned).await;
}

/// The model is missing. A large body of small values is refused before that is checked.
fn is_refused(reply: Reply) {
    let (status, code) = if reply.status == 400 { (400, "too_many_items") } else { (404, "model_not_found") };
    reply.expect_error(status, code);
}

/// The same for a body that is accepted: while it is read, and while its job runs.
#[tokio::test]
async fn soak_heavy_an_accepted_body_needs_at_most_four_times_its_size() {
    let bytes = count_from_environment(BODY, 2 << 20);
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_memory(address_space(bytes)).start().await;
    let client = server.client();
    let at_start = server.memory("VmRSS");
    let values = repeated(&format!("\"{}\",", "a".repeat(100)), bytes);
    let body = format!(
        r#"{{"processing":{{"summary":{{}}}},"transcript":{{"text":"Hi.","utterances":[{{"text":"Hi.","own":[{values}]}}]}}}}"#
    );
    let call = client.post("/v1/audio/analyses").bytes("application/json", body.into_bytes());
    let id = call.send().await.expect_status(202).id();
    let grown = || server.memory("VmHWM").saturating_sub(at_start);
    let read = grown();
    let job = server.finished(&client, &id).await;
    assert_eq!(job["status"], "completed", "{}", job["error"]);
    eprintln!(
        "{bytes} bytes accepted: {} KiB to read them, {} KiB with the job",
        read / 1024,
        grown() / 1024
    );
    assert!(grown() < 4 * bytes as u64 + SLACK, "the job needed {} KiB", grown() / 1024);
}

/// Mebibytes of address space of a server that reads a body of this size: four times the body, and what it reserves.
fn address_space(bytes: usize) -> u32 {
    ADDRESS_SPACE + 4 * (bytes as u64 / MEBIBYTE) as u32
}

fn repeated(item: &str, bytes: usize) -> String {
    let mut items = item.repeat(bytes / item.len());
    items.truncate(items.trim_end_matches(',').len());
    items
}

/// An object with a million names, the last of which has such an object as its value, and so on: the names of all of
/// them are known at once.
fn nested_names(bytes: usize) -> String {
    /// One field less than an object may have.
    const NAMES: usize = 999_999;
    /// `"00000":0,`
    const FIELD: usize = 10;
    let mut text = String::with_capacity(bytes + FIELD);
    let mut depth = 0;
    while text.len() + 2 * depth < bytes {
        text.push('{');
        depth += 1;
        let count = NAMES.min((bytes - text.len()) / FIELD);
        text.extend((0..count).map(|number| format!("\"{number:05x}\":0,")));
        text.push_str("\"\":");
    }
    text.push('0');
    text.extend(std::iter::repeat_n('}', depth));
    text
}

/// The same for a job that is accepted: its task reads the utterances, which have large fields of the caller.
#[tokio::test]
async fn heavy_a_job_with_many_values_needs_little_memory() {
    const BYTES: u64 = 2 * MEBIBYTE;
    const LIMIT: u64 = 12 * BYTES + 64 * MEBIBYTE;
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let before = server.memory("VmHWM");
    let values = "[0],".repeat(BYTES as usize / 4);
    let body = r#"{"processing":{"summary":{},"tasks":[{"id":"t","model":"fake-text","max_output_tokens":10}]},
        "transcript":{"text":"Hi.","utterances":[{"text":"Hi.","own":[VALUES]}]}}"#;
    let body = body.replace("VALUES", values.trim_end_matches(','));
    let call = client.post("/v1/audio/analyses").bytes("application/json", body.into_bytes());
    let id = call.send().await.expect_status(202).id();
    let job = wait_and_check(&server, &client, &id).await;
    assert_eq!(job["status"], "completed", "{}", job["error"]);
    let grown = server.memory("VmHWM").saturating_sub(before);
    assert!(grown < LIMIT, "the job needed {} KiB", grown / 1024);
}

#[tokio::test]
async fn heavy_memory_of_a_large_body_is_returned_while_the_server_is_idle() {
    const BYTES: usize = 48 << 20;
    const LIMIT: u64 = 32 * MEBIBYTE;
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let before = server.memory("VmRSS");
    let body = format!(
        r#"{{"processing":{{"summary":{{"model":"missing"}}}},"transcript":{{"text":"a","x":"{}"}}}}"#,
        "a".repeat(BYTES)
    );
    let call = client.post("/v1/audio/analyses").idempotency_key("large");
    call.bytes("application/json", body.into_bytes()).send().await.expect_status(404);
    let is_returned = || async { (server.memory("VmRSS") < before + LIMIT).then_some(()) };
    eventually("the memory to be returned", is_returned).await;
}

// 95 MiB to the byte: 51 minutes of a tone.
fn largest(form: Form) -> Form {
    let mut audio = wav(95 * MEBIBYTE as u32 / 32);
    audio.truncate(95 * MEBIBYTE as usize);
    form.file(audio)
}
