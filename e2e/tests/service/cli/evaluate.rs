//! `auris evaluate` on folders of small recordings.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use auris_e2e::{DatabaseKind, ServerOptions, assets, repository};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Two people on the telephone, thirty seconds, and what they say.
const CALL: &str = "c319b4abca767b124e41432d364fd7df006cb26bb79d09326c487d606a134e6e";
const CALL_STM: &str = "f861f3004927e1c4429199f9695bfd252def75d7d5e4bdf735d3d85fd4a667f7";

const SPEECH: &str = "And so, my fellow Americans: ask not what your country can do for you. Ask what you can do for your country.";

/// A folder with a speech of eleven seconds and its text.
fn folder() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    symlink(repository().join("samples/inaugural.wav"), folder.path().join("speech.wav")).expect("a link");
    write(folder.path(), "speech.txt", SPEECH);
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a file");
}

fn path(folder: &TempDir) -> &str {
    folder.path().to_str().expect("UTF-8")
}

#[tokio::test]
async fn a_model_is_evaluated_on_words_times_speakers_and_speed() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_real_models().prepare();
    server.auris(&["models", "pull", "moonshine-tiny-en"]);
    let folder = folder();
    symlink(assets().join(CALL), folder.path().join("call.wav")).expect("a link");
    symlink(assets().join(CALL_STM), folder.path().join("call.stm")).expect("a link");
    write(folder.path(), "damaged.wav", "not audio");
    write(folder.path(), "damaged.txt", "hello");
    write(folder.path(), "silent.wav", "no reference");
    let page = folder.path().join("report.html");
    let arguments = ["evaluate", path(&folder), "--json", "--html", page.to_str().expect("UTF-8")];
    let output = server.try_auris(&arguments);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("damaged.wav, moonshine-tiny-en: "), "{message}");

    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let models = report["models"].as_array().expect("a list");
    let find = |id: &str| models.iter().find(|one| one["model"] == id).expect("a report of the model");
    let model = find("moonshine-tiny-en");
    check_model(model);
    assert_eq!(find("auto")["error_percent"], model["error_percent"], "it has no other model to choose");
    check_diarization(&report["diarization"]);
    assert_eq!(report["left_out"][0]["file"], "silent.wav", "{report}");

    let html = fs::read_to_string(&page).expect("the page");
    assert!(
        html.contains("<audio controls preload=\"none\" src=\"") && html.contains("moonshine-tiny-en"),
        "{html}"
    );
    let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 8, "no temporary file is left: {left:?}");
}

/// The report of a model on the speech and the call; the third recording is damaged.
fn check_model(model: &Value) {
    assert_eq!((&model["recordings"], &model["failed"]), (&json!(2), &json!(1)), "{model}");
    assert!(model["error_percent"].as_f64().is_some_and(|percent| percent < 20.0), "{model}");
    let speech = model["results"].as_array().expect("a list").iter().find(|one| one["file"] == "speech.wav");
    assert_eq!(speech.expect("the speech")["error_percent"], 0.0, "{speech:?}");
    assert!(
        model["segment_times"]["start_median_ms"].is_number() && model["word_times"].is_null(),
        "{model}"
    );
    assert!(model["speed"]["audio_seconds_per_second"].as_f64().is_some_and(|speed| speed > 0.0), "{model}");
    let words = &model["speakers"]["words"];
    let right = &model["speakers"]["right"];
    assert!(
        right.as_f64().zip(words.as_f64()).is_some_and(|(right, words)| right >= 0.85 * words),
        "{model}"
    );
}

fn check_diarization(diarization: &Value) {
    assert_eq!((&diarization["recordings"], &diarization["right_speaker_count"]), (&json!(1), &json!(1)));
    assert!(diarization["error_percent"].as_f64().is_some_and(|percent| percent < 20.0), "{diarization}");
}

#[tokio::test]
async fn texts_of_another_program_are_compared_in_the_same_table() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).prepare();
    let folder = folder();
    let texts = TempDir::new().expect("a folder");
    write(texts.path(), "speech.txt", &SPEECH.replace("country.", "county."));
    let other = format!("other={}", path(&texts));
    let printed =
        server.auris(&["evaluate", path(&folder), "--models", "fake-speech", "--transcripts", &other]);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].starts_with("MODEL"), "{printed}");
    assert!(lines[1].starts_with("other ") && lines[1].contains("4.55 %"), "{printed}");
    assert!(lines[2].starts_with("fake-speech "), "{printed}");
    assert!(printed.contains("[country.]") && printed.contains("[county.]"), "{printed}");
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_real_models().prepare();
    let empty = TempDir::new().expect("a folder");
    let folder = folder();
    let failure = |arguments: &[&str]| {
        let output = server.try_auris(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(output.stdout.is_empty());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let message = failure(&["evaluate", path(&folder), "--models", "whisper-tiny"]);
    assert!(message.contains("auris models pull whisper-tiny"), "{message}");
    let message = failure(&["evaluate", path(&folder), "--models", "whisper-huge"]);
    assert_eq!(message.matches("no model `whisper-huge`").count(), 1, "{message}");
    let message = failure(&["evaluate", path(&folder), "--models", "pyannote-campplus"]);
    assert!(message.contains("does not transcribe"), "{message}");
    let message = failure(&["evaluate", path(&empty), "--models", "fake-speech"]);
    assert!(message.contains("there are no recordings"), "{message}");
    let message = failure(&["evaluate", "/nowhere/at/all", "--models", "fake-speech"]);
    assert!(message.contains("`/nowhere/at/all`"), "{message}");
    write(empty.path(), "call.wav", "audio");
    let message = failure(&["evaluate", path(&empty), "--models", "fake-speech"]);
    assert!(message.contains("`call.txt`"), "{message}");
    let message =
        failure(&["evaluate", path(&folder), "--models", "fake-speech", "--html", "/nowhere/report.html"]);
    assert!(message.contains("cannot write `/nowhere/report.html`"), "{message}");
    assert_eq!(server.try_auris(&["evaluate", path(&folder), "--transcripts", "x"]).status.code(), Some(2));
}
