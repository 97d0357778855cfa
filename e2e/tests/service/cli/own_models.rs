//! The operator's own models: added, used by a running server, measured and removed.

use std::fs;
use std::path::{Path, PathBuf};

use auris_e2e::balances::command_json;
use auris_e2e::requests::{post_transcription, transcription_form};
use auris_e2e::settings::JOB_CONCURRENCY;
use auris_e2e::{Client, DatabaseKind, Form, Server, ServerOptions, assets, repository};
use auris_engine_testing::weight_files::{
    FloatType, GgmlType, read_vocabulary, write_ggml, write_safetensors,
};
use auris_weights::{Family, ModelConfig, ModelFiles, TensorSource, open_source};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What is said in the sample recording.
const SPOKEN: &str = "ask not what your country can do for you";

#[tokio::test]
async fn an_added_model_is_used_by_a_running_server_until_it_is_removed() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).start().await;
    let client = server.client();
    let folder = TempDir::new().expect("a folder");
    let file = ggml(folder.path());
    assert_eq!(add(&server, &file, &["--id", "calls", "--price", "0.0001"]), "added calls\n");

    let models = client.get("/v1/models").send().await.expect_status(200).json();
    let models = models["data"].as_array().expect("a list");
    let of = |id: &str| models.iter().find(|model| model["id"] == id).expect("the model is listed");
    let fields = |model: &Value| model.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(fields(of("calls")), fields(of("fake-speech")), "an added model looks like any other");
    let rate = json!([{"capability": "transcription", "native_unit": "audio_second", "price_per_unit_usd": "0.0001"}]);
    assert_eq!(of("calls")["capabilities"], rate);

    let form = Form::new().file(recording(1)).text("model", "calls");
    let text = post_transcription(&client, &form).await.expect_status(200).json();
    assert!(text["text"].as_str().is_some_and(|text| text.to_lowercase().contains(SPOKEN)), "{text}");

    let listed = command_json(&server, &["models", "list", "--json"]);
    let listed = listed.as_array().expect("a list").iter().find(|model| model["id"] == "calls");
    let listed = listed.expect("the model is listed");
    assert_eq!((&listed["source"], &listed["state"]), (&json!("local"), &json!("installed")), "{listed}");

    let pulled = server.try_auris(&["models", "pull", "calls"]);
    let message = String::from_utf8_lossy(&pulled.stderr);
    assert!(!pulled.status.success() && message.contains("added from a file"), "{message}");

    assert_eq!(server.auris(&["models", "remove", "calls"]), "removed calls\n");
    post_transcription(&client, &form).await.expect_error(404, "model_not_found");
    assert_eq!(server.try_auris(&["models", "remove", "calls"]).status.code(), Some(1));
    // The same id with other weights is another model.
    let other = folder.path().join("other");
    write_hugging_face(&other);
    add(&server, &other, &["--id", "calls"]);
    post_transcription(&client, &form).await.expect_status(200);
}

#[tokio::test]
async fn the_price_of_an_added_model_is_charged_and_stays_in_the_usage() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).start().await;
    let client = server.client();
    let folder = TempDir::new().expect("a folder");
    add(&server, &ggml(folder.path()), &["--id", "calls", "--price", "0.0001"]);
    let form = Form::new().file(recording(1)).text("model", "calls");
    post_transcription(&client, &form).await.expect_status(200);
    // Eleven seconds cost more than this.
    server.auris(&["projects", "credit", "default", "0.001"]);
    post_transcription(&client, &form).await.expect_error(403, "insufficient_balance");

    let removed = command_json(&server, &["models", "remove", "calls", "--json"]);
    assert_eq!(removed, json!([{"id": "calls", "removed": true}]));
    let usage = command_json(&server, &["projects", "usage", "default", "--by", "model", "--json"]);
    let line = usage.as_array().expect("a list").iter().find(|line| line["model"] == "calls");
    let line = line.expect("the usage of the removed model");
    assert_eq!((&line["requests"], &line["usage"]["cost_usd"]), (&json!(1), &json!("0.0011")), "{line}");
}

#[tokio::test]
async fn a_running_job_keeps_a_removed_model_and_a_waiting_job_fails() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with(JOB_CONCURRENCY, 1).start().await;
    let client = server.client();
    let folder = TempDir::new().expect("a folder");
    let file = ggml(folder.path());
    add(&server, &file, &["--id", "calls"]);
    let running = submit(&client, Form::new().file(recording(10)).text("model", "calls")).await;
    let mut events = client.get(&format!("/v1/jobs/{running}/events")).stream().await;
    // The first segment shows that the model is loaded.
    while events.next().await.expect("an event").kind != "job.transcript.segment" {}
    server.auris(&["models", "remove", "calls"]);
    let job = server.finished(&client, &running).await;
    assert_eq!(job["status"], "completed", "{job}");

    add(&server, &file, &["--id", "calls"]);
    let blocker = transcription_form(&client).await.text("prompt", "fake:delay=60000");
    let blocker = submit(&client, blocker).await;
    let waiting = submit(&client, Form::new().file(recording(1)).text("model", "calls")).await;
    server.auris(&["models", "remove", "calls"]);
    client.post(&format!("/v1/jobs/{blocker}/cancel")).send().await.expect_status(200);
    let job = server.finished(&client, &waiting).await;
    assert_eq!(
        (&job["status"], &job["error"]["code"]),
        (&json!("failed"), &json!("model_not_found")),
        "{job}"
    );
}

#[tokio::test]
async fn damage_to_an_added_model_and_to_its_packed_copy_is_found() {
    let mut server = ServerOptions::new(DatabaseKind::Sqlite).prepare();
    let models = TempDir::new().expect("a folder");
    server.set("AURIS_MODELS__DIR", &models.path().display().to_string());
    let folder = TempDir::new().expect("a folder");
    add(&server, &ggml(folder.path()), &["--id", "calls"]);
    let verified = command_json(&server, &["models", "verify", "--json"]);
    let intact =
        json!([{"id": "calls", "ok": true, "damaged": [], "packed_copy": "intact", "source": "local"}]);
    assert_eq!(verified, intact);

    let packed = fs::read_dir(models.path().join("calls")).expect("the folder of the model");
    let mut packed = packed.map(|entry| entry.expect("a file").path());
    let packed =
        packed.find(|path| path.extension().is_some_and(|end| end == "auris")).expect("a packed copy");
    fs::write(&packed, "not a copy").expect("a file");
    assert!(server.auris(&["models", "verify"]).starts_with("calls: ok; its packed copy was damaged"));
    assert_eq!(server.auris(&["models", "verify"]), "calls: ok\n");

    fs::remove_file(models.path().join("calls/ggml-tiny.bin")).expect("the file of the model");
    let verified = server.try_auris(&["models", "verify"]);
    let message = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.code() == Some(1) && message.contains("auris models add FILE"), "{message}");
    assert_eq!(String::from_utf8_lossy(&verified.stdout), "calls: damaged ggml-tiny.bin\n");
}

#[tokio::test]
async fn a_measured_model_is_listed_with_its_speed() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_real_models().prepare();
    let pulled = server.try_auris(&["models", "pull", "moonshine-tiny-en"]);
    let message = String::from_utf8_lossy(&pulled.stderr);
    assert!(pulled.status.success() && message.contains("× the speed of speech"), "{message}");
    let missing = server.try_auris(&["models", "bench", "whisper-tiny"]);
    let message = String::from_utf8_lossy(&missing.stderr);
    assert!(!missing.status.success() && message.contains("auris models pull whisper-tiny"), "{message}");

    let unmeasured = server.try_auris(&["models", "bench", "auto"]);
    let message = String::from_utf8_lossy(&unmeasured.stderr);
    assert!(!unmeasured.status.success() && message.contains("`auto` cannot be measured"), "{message}");

    let measured = command_json(&server, &["models", "bench", "moonshine-tiny-en", "--json"]);
    let speed = &measured[0];
    assert_eq!((&speed["model"], &speed["unit"]), (&json!("moonshine-tiny-en"), &json!("audio_second")));
    for field in ["units_per_second", "units_per_cpu_second", "load_milliseconds", "memory_bytes"] {
        assert!(speed[field].as_f64().is_some_and(|value| value > 0.0), "{field}: {speed}");
    }
    let listed = server.auris(&["models", "list"]);
    let line = listed.lines().find(|line| line.starts_with("moonshine-tiny-en")).expect("it is listed");
    assert!(line.contains("× real time"), "{line}");
}

#[tokio::test]
async fn a_wrong_file_is_refused_with_what_to_do() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).prepare();
    let folder = TempDir::new().expect("a folder");
    let text = folder.path().join("notes.txt");
    fs::write(&text, "not a model").expect("a file");
    let text = text.display().to_string();
    for (words, code, said) in [
        (vec![text.as_str()], 1, "`ggml-*.bin` file of whisper.cpp"),
        (vec!["nowhere.bin"], 1, "nowhere.bin"),
        (vec![text.as_str(), "--price", "0.00000000001"], 2, "10 fractional digits"),
        (vec![text.as_str(), "--price", "-1"], 2, "non-negative"),
        (vec![text.as_str(), "--price", "cheap"], 2, "cheap"),
        (vec![], 2, "FILE"),
    ] {
        let all: Vec<&str> = ["models", "add"].into_iter().chain(words).collect();
        let refused = server.try_auris(&all);
        let message = String::from_utf8_lossy(&refused.stderr);
        assert!(refused.status.code() == Some(code) && message.contains(said), "{all:?}: {message}");
        assert!(refused.stdout.is_empty());
    }
}

#[tokio::test]
async fn a_local_catalogue_that_cannot_be_read_stops_the_start_and_is_named() {
    let mut server = ServerOptions::new(DatabaseKind::Sqlite).prepare();
    let models = TempDir::new().expect("a folder");
    fs::write(models.path().join("local.toml"), "[[models]]\nid = 7\n").expect("a file");
    server.set("AURIS_MODELS__DIR", &models.path().display().to_string());
    server.spawn();
    assert!(!server.listening().await, "the server started");
    assert!(server.log().contains("local.toml"), "{}", server.log());
}

/// Submits an asynchronous transcription and returns the job's id.
async fn submit(client: &Client, form: Form) -> String {
    post_transcription(client, &form.text("async", "true")).await.expect_status(202).id()
}

/// The sample recording of eleven seconds, this many times in a row.
fn recording(times: usize) -> Vec<u8> {
    let file = fs::read(repository().join("samples/inaugural.wav")).expect("the sample");
    let data = file.windows(4).position(|word| word == b"data").expect("a chunk with samples");
    let head = &file[..data + 4];
    let samples = &file[data + 8..];
    let bytes = (samples.len() * times) as u32;
    let mut longer = [head, &bytes.to_le_bytes()[..], &samples.repeat(times)[..]].concat();
    let rest = (longer.len() - 8) as u32;
    longer[4..8].copy_from_slice(&rest.to_le_bytes());
    longer
}

fn add(server: &Server, path: &Path, words: &[&str]) -> String {
    let path = path.display().to_string();
    let all: Vec<&str> = ["models", "add", &path].into_iter().chain(words.iter().copied()).collect();
    server.auris(&all)
}

/// A file of whisper.cpp with the weights of Whisper tiny.
fn ggml(folder: &Path) -> PathBuf {
    let path = folder.join("ggml-tiny.bin");
    let (source, config) = whisper_tiny();
    write_ggml(&path, (&*source, &config), GgmlType::Q8_0, &read_vocabulary(&tokenizer()));
    path
}

/// A folder of Hugging Face with the weights of Whisper tiny.
fn write_hugging_face(folder: &Path) {
    let (source, config) = whisper_tiny();
    write_safetensors(folder, (&*source, &config), FloatType::F16, 2);
    fs::copy(tokenizer(), folder.join("tokenizer.json")).expect("a copy");
}

fn whisper_tiny() -> (Box<dyn TensorSource>, ModelConfig) {
    let encoder = assets().join("fd9d995b9dcb0520f0dbf6cf68651af639fc385f594d9d876e69ca2802dc438e");
    let decoder = assets().join("6c0c125986b007d2e3734bec84c18bda0152071b90b87fadac6d7764499927a0");
    open_source(&ModelFiles::Onnx { encoder, decoder }, Family::Whisper).expect("the weights of Whisper tiny")
}

fn tokenizer() -> PathBuf {
    assets().join("27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566")
}
