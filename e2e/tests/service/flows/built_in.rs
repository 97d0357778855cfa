//! The built-in text models: every stage of a conversation, and unsupported languages.

use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::post_analysis;
use auris_e2e::{DatabaseKind, Server, ServerOptions, both_databases};
use serde_json::{Value, json};

const STAGES: [&str; 7] =
    ["chapters", "entities", "formatting", "key_phrases", "sentiment", "summary", "topics"];

both_databases! {
    async fn every_stage_runs_without_naming_a_model(database: DatabaseKind) {
        let server = with_embedding_model(database).await;
        let client = server.client();
        let processing = json!({
            "chapters": {}, "entities": {"types": ["person", "place"]}, "formatting": {}, "key_phrases": {},
            "sentiment": {"granularity": "utterance"}, "summary": {"type": "bullets"}, "topics": {},
            "failure_policy": "continue_independent", "max_cost_usd": "0",
        });
        let body = json!({"transcript": call(), "processing": processing, "async": false});
        let finished = post_analysis(&client, &body).await.expect_status(202).json();
        assert_eq!(finished["status"], "completed", "{finished}");
        let job = wait_and_check(&server, &client, finished["id"].as_str().unwrap_or_default()).await;
        let result = &job["result"];
        assert!(STAGES.iter().all(|stage| result[*stage].is_object()), "{result}");
        let found: Vec<(&str, &str)> = result["entities"]["entities"].as_array().into_iter().flatten()
            .map(|entity| (entity["type"].as_str().unwrap_or_default(), entity["text"].as_str().unwrap_or_default()))
            .collect();
        assert_eq!(found, [("person", "Diane"), ("place", "New Jersey"), ("person", "Sheila"), ("place", "Texas")]);
        assert_eq!(result["sentiment"]["utterances"].as_array().map(Vec::len), Some(3));
        assert!(result["summary"]["bullets"].as_array().is_some_and(|bullets| !bullets.is_empty()), "{result}");
        assert_eq!(job["usage"]["cost_usd"], "0");
        let steps = client.get(&format!("/v1/jobs/{}/steps", job["id"].as_str().unwrap_or_default())).send().await.json();
        for step in steps["data"].as_array().into_iter().flatten() {
            let stage = step["key"].as_str().unwrap_or_default().replace('_', "-");
            // Sentiment uses the embedding model too, where it is installed.
            let wanted = if stage == "sentiment" { "sentiment-net-en".to_owned() } else { format!("{stage}-en") };
            assert_eq!((step["requested_model"].clone(), step["resolved_model"].as_str()), (Value::Null, Some(wanted.as_str())));
        }
    }
}

#[tokio::test]
async fn an_unsupported_language_is_refused_or_fails_its_step() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_real_models().start().await;
    let client = server.client();
    let declared =
        json!({"transcript": {"text": "Guten Tag.", "language": "de-DE"}, "processing": {"sentiment": {}}});
    let error = post_analysis(&client, &declared).await.expect_error(400, "unsupported_language");
    assert_eq!(error.param.as_deref(), Some("transcript.language"));
    let text =
        "Ich habe ihnen gesagt, dass die Bestellung nicht das ist, was wir wollten, und sie ist auf dem Weg.";
    let detected = json!({"transcript": {"text": text}, "processing": {"sentiment": {}}});
    let id = post_analysis(&client, &detected).await.expect_status(202).id();
    let job = wait_and_check(&server, &client, &id).await;
    assert_eq!(
        (job["status"].as_str(), job["error"]["code"].as_str()),
        (Some("failed"), Some("unsupported_language"))
    );
}

#[tokio::test]
async fn stages_without_a_model_file_work_without_a_download_and_the_others_are_refused() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_real_models().start().await;
    let client = server.client();
    let body = json!({"transcript": call(), "processing": {"sentiment": {}, "entities": {}, "formatting": {}}, "async": false});
    assert_eq!(post_analysis(&client, &body).await.expect_status(202).json()["status"], "completed");
    let body = json!({"transcript": call(), "processing": {"chapters": {}}});
    let error = post_analysis(&client, &body).await.expect_error(404, "model_not_found");
    assert_eq!(error.param.as_deref(), Some("processing.chapters"));
}

/// The server also reads the transcript, stores the output and composes the result.
#[tokio::test]
async fn heavy_a_stage_needs_little_memory_whatever_the_text() {
    const BYTES: u64 = 2_000_000;
    const LIMIT: u64 = 256 * 1_048_576 + 8 * BYTES;
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_real_models().start().await;
    let client = server.client();
    let before = server.memory("VmRSS");
    for (stage, options, piece) in [
        ("entities", json!({}), "1 "),
        ("formatting", json!({}), "A.\n\n"),
        ("sentiment", json!({"granularity": "utterance"}), "? "),
    ] {
        let text = piece.repeat(BYTES as usize / piece.len());
        let body = json!({"transcript": {"text": text, "language": "en"}, "processing": {(stage): options}});
        let id = post_analysis(&client, &body).await.expect_status(202).id();
        let job = server.finished(&client, &id).await;
        assert_eq!(job["status"], "completed", "{}", job["error"]);
        let grown = server.memory("VmHWM").saturating_sub(before);
        assert!(grown < LIMIT, "{stage} needed {} KiB", grown / 1024);
    }
}

#[tokio::test]
async fn the_command_line_analyses_text_without_a_server() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_real_models().prepare();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("call.json");
    std::fs::write(&path, call().to_string()).expect("a file");
    let file = path.display().to_string();
    let result: Value =
        serde_json::from_str(&server.auris(&["analyze", "--transcript", &file, "--json"])).expect("JSON");
    assert!(STAGES.iter().all(|stage| result[*stage].is_object()), "{result}");
    let text = server.auris(&[
        "analyze",
        "--transcript",
        &file,
        "--entities",
        "--summary",
        "detailed",
        "--sentiment",
        "utterance",
    ]);
    for wanted in ["Entities\n--------\n", "person        Diane, Sheila", "Summary", "Sentiment"] {
        assert!(text.contains(wanted), "`{wanted}` in\n{text}");
    }
    assert!(!text.contains("Topics"));
    let failed = server.try_auris(&["analyze", "--transcript", &file, "--language", "fr", "--topics"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&failed.stderr).contains("`fr`"));
    assert_eq!(server.try_auris(&["analyze"]).status.code(), Some(2));
}

/// A server with the embedding model, which comes from the assets.
async fn with_embedding_model(database: DatabaseKind) -> Server {
    let server = ServerOptions::new(database).with_real_models().start().await;
    server.auris(&["models", "pull", "summary-en"]);
    server
}

fn call() -> Value {
    let said = [
        "Okay, this is Diane in New Jersey.",
        "And I'm Sheila in Texas, it is great to hear you!",
        "They all hate the heat down here.",
    ];
    let utterances: Vec<Value> = said
        .iter()
        .enumerate()
        .map(|(nth, text)| json!({"text": text, "speaker": (["A", "B"][nth % 2]), "start": nth * 3, "end": nth * 3 + 2}))
        .collect();
    json!({"text": said.join(" "), "language": "en", "utterances": utterances})
}
