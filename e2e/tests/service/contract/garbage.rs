//! Bodies that are not valid requests: all are refused, and nothing of them is stored.

use auris_e2e::requests::analysis;
use auris_e2e::{Client, DatabaseKind, Reply, SeededRandom, Server, contract, count_from_environment};
use serde_json::json;

const JSON: &str = "application/json";

/// A body, its content type, and the expected error codes.
type Garbage = (Vec<u8>, &'static str, &'static [&'static str]);

const MALFORMED: &[&str] = &["invalid_json"];
const MISTYPED: &[&str] = &["invalid_type", "missing_required_parameter"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_is_not_a_request_is_refused_and_not_stored() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let before = server.files();
    for path in ["/v1/audio/analyses", "/v1/webhook_endpoints"] {
        for (body, content_type, codes) in garbage(&valid_body(path)) {
            let shown = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
            let reply = post(&client, path, content_type, body).await;
            assert_eq!(reply.status, 400, "{content_type} {shown}: {reply}");
            let code = reply.error().code;
            assert!(codes.contains(&code.as_str()), "{content_type} {shown}: {codes:?}, {reply}");
        }
    }
    nothing_is_stored(&server, &client, &before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soak_random_bytes_are_refused_by_every_operation_and_not_stored() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let before = server.files();
    let mut random = SeededRandom::new("random bodies");
    let rounds = count_from_environment("AURIS_SOAK_GARBAGE", 12);
    let types = [
        JSON,
        "multipart/form-data; boundary=x",
        "multipart/form-data",
        "text/plain",
        "",
        "a/b;;;=",
        "application/octet-stream",
    ];
    for operation in contract().operations() {
        let path = operation.path(some_id);
        for _ in 0..rounds {
            let length = *random.pick(&[0, 1, 7, 300, 70_000]);
            let body = random_body(&mut random, length);
            let content_type = *random.pick(&types);
            let call = client.call(&operation.method, &path).bytes(content_type, body);
            let reply = call.idempotency_key("garbage").send().await;
            let reading = operation.method == "GET";
            assert!(reply.status < 500 && (reading || reply.status >= 400), "{reply}");
        }
    }
    nothing_is_stored(&server, &client, &before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_nul_character_is_refused_in_every_text() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let before = server.files();
    let places = [
        ("transcript.text", json!("a\0b")),
        ("transcript.language", json!("e\0n")),
        ("transcript.segments", json!([{"text": "a\0"}])),
        ("transcript.utterances", json!([{"text": "a", "speaker": "\0"}])),
        ("transcript.anything", json!({"deep": ["\0"]})),
        ("metadata", json!({"key": "\0"})),
        ("metadata", json!({"k\0": "v"})),
        ("processing.summary.model", json!("m\0")),
        ("processing.entities.types", json!(["\0"])),
        ("webhook_url", json!("https://127.0.0.1/\0")),
    ];
    for (place, value) in places {
        let mut body = analysis();
        auris_e2e::put(&mut body, place, value);
        let reply = client.post("/v1/audio/analyses").json(&body).send().await;
        assert_eq!(reply.status, 400, "{place}: {reply}");
    }
    nothing_is_stored(&server, &client, &before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_over_its_limit_is_refused() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let before = server.files();
    let body = json!({"url": format!("https://127.0.0.1/{}", "a".repeat(8 << 20))});
    let reply = post(&client, "/v1/webhook_endpoints", JSON, body.to_string().into_bytes()).await;
    reply.expect_error(400, "body_too_large");
    nothing_is_stored(&server, &client, &before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_an_analysis_over_its_limit_is_refused() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let before = server.files();
    let over = vec![b' '; (256 << 20) + 1];
    let reply = post(&client, "/v1/audio/analyses", JSON, over).await;
    reply.expect_error(400, "body_too_large");
    nothing_is_stored(&server, &client, &before).await;
}

async fn post(client: &Client, path: &str, content_type: &str, body: Vec<u8>) -> Reply {
    let key = format!("garbage-{}", rand::random::<u64>());
    client.post(path).idempotency_key(&key).bytes(content_type, body).send().await
}

fn valid_body(path: &str) -> String {
    match path {
        "/v1/audio/analyses" => analysis().to_string(),
        _ => json!({"url": "https://127.0.0.1:9/hook"}).to_string(),
    }
}

fn garbage(valid: &str) -> Vec<Garbage> {
    let valid_bytes = valid.as_bytes().to_vec();
    let truncated = |length: usize| (valid_bytes[..length].to_vec(), JSON, MALFORMED);
    let mut garbage: Vec<Garbage> = vec![
        truncated(1),
        truncated(valid.len() / 2),
        truncated(valid.len() - 1),
        (vec![], JSON, &["invalid_json", "missing_required_parameter"]),
        (b"nonsense".to_vec(), JSON, MALFORMED),
        (b"{\"url\": NaN}".to_vec(), JSON, MALFORMED),
        (b"{'url': 'x'}".to_vec(), JSON, MALFORMED),
        (format!("{valid} trailing").into_bytes(), JSON, MALFORMED),
        (format!("{valid}{valid}").into_bytes(), JSON, MALFORMED),
        (b"\xff\xfe{}".to_vec(), JSON, MALFORMED),
        (b"{\"url\": \"\xc3\x28\"}".to_vec(), JSON, MALFORMED),
        (b"{\"url\": \"\\ud800\"}".to_vec(), JSON, MALFORMED),
        (b"{\"url\": \"a\tb\"}".to_vec(), JSON, MALFORMED),
        (utf16(valid), JSON, MALFORMED),
        (b"[]".to_vec(), JSON, MISTYPED),
        (b"null".to_vec(), JSON, MISTYPED),
        (b"\"text\"".to_vec(), JSON, MISTYPED),
        (b"7".to_vec(), JSON, MISTYPED),
        (nested("[", "]", 100_000), JSON, &["invalid_json", "invalid_type", "body_too_large"]),
        (nested("{\"a\":", "}", 100_000), JSON, &["invalid_json", "unknown_parameter", "body_too_large"]),
        (with_repeated_keys(valid), JSON, &["invalid_json", "invalid_value"]),
        (b"{\"url\": 1e999}".to_vec(), JSON, &["invalid_json", "invalid_type", "unknown_parameter"]),
    ];
    for content_type in [
        "text/plain",
        "",
        "application/xml",
        "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded",
    ] {
        garbage.push((valid_bytes.clone(), content_type, &["invalid_content_type"]));
    }
    garbage
}

// The valid document with every field of the outermost object twice.
fn with_repeated_keys(valid: &str) -> Vec<u8> {
    let inside = &valid[1..valid.len() - 1];
    format!("{{{inside},{inside}}}").into_bytes()
}

fn nested(open: &str, close: &str, depth: usize) -> Vec<u8> {
    format!("{}1{}", open.repeat(depth), close.repeat(depth)).into_bytes()
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn random_body(random: &mut SeededRandom, length: usize) -> Vec<u8> {
    let bytes = random.bytes(length);
    match random.below(3) {
        0 => bytes,
        1 => [b"{\"processing\":".to_vec(), bytes].concat(),
        _ => [b"--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n".to_vec(), bytes].concat(),
    }
}

fn some_id(parameter: &str) -> String {
    let prefix = match parameter {
        "jobId" => "job_",
        "stepId" => "stp_",
        "artifactId" => "art_",
        _ => "whk_",
    };
    format!("{prefix}00000000000000000000")
}

/// Checks that there are no jobs, no endpoints and no new files.
pub(crate) async fn nothing_is_stored(
    server: &Server,
    client: &Client,
    before: &std::collections::BTreeSet<std::path::PathBuf>,
) {
    let jobs = client.get("/v1/jobs").send().await.expect_status(200).json();
    assert_eq!(jobs["data"], json!([]));
    let endpoints = client.get("/v1/webhook_endpoints").send().await.expect_status(200).json();
    assert_eq!(endpoints["data"], json!([]));
    // The server removes an aborted upload a moment after the caller has disconnected.
    auris_e2e::eventually("the new files to be removed", || async {
        let extra: Vec<_> = server.files().difference(before).cloned().collect();
        extra.iter().all(|path| is_database(path)).then_some(())
    })
    .await;
}

// SQLite creates and removes its write-ahead files at any time.
fn is_database(path: &std::path::Path) -> bool {
    let name = path.to_string_lossy();
    name.ends_with("-wal") || name.ends_with("-shm") || name.ends_with("-journal")
}
