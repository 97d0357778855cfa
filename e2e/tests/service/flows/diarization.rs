//! The built-in diarizer on the audio of an earlier job.

use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::{model_for, post_analysis, post_transcription};
use auris_e2e::{Client, DatabaseKind, Form, Server, ServerOptions, assets};
use serde_json::{Value, json};

/// Two people on the telephone, thirty seconds.
const CALL: &str = "c319b4abca767b124e41432d364fd7df006cb26bb79d09326c487d606a134e6e";

fn call() -> Vec<u8> {
    std::fs::read(assets().join(CALL)).expect("scripts/fetch-assets has downloaded it")
}

/// Transcribes the call with the fake model, whose words come every half second.
async fn transcribed(server: &Server, client: &Client) -> String {
    let form = Form::new().file(call()).text("model", model_for(client, "transcription").await);
    let job = post_transcription(client, &form.text("async", "true")).await.expect_status(202).id();
    server.finished(client, &job).await;
    job
}

async fn artifact(client: &Client, job: &Value, purpose: &str) -> String {
    let artifacts = job["result"]["artifacts"].as_array().expect("artifacts");
    let found = artifacts.iter().find(|artifact| artifact["purpose"] == purpose);
    let id = found.unwrap_or_else(|| panic!("no {purpose} in {artifacts:?}"))["id"].as_str().expect("an id");
    let redirect = client.get(&format!("/v1/artifacts/{id}/content")).send().await.expect_status(302);
    let content = client.get_outside_api(redirect.header("location"), &[]).await.expect_status(200);
    String::from_utf8(content.body).expect("UTF-8")
}

#[tokio::test]
async fn diarization_alone_gives_speakers_turns_utterances_and_files() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_real_models().start().await;
    let client = server.client();
    let audio = transcribed(&server, &client).await;
    let body = json!({"job_id": audio, "processing": {"diarization": {}}});
    let id = post_analysis(&client, &body).await.expect_status(202).id();
    let job = wait_and_check(&server, &client, &id).await;
    assert_eq!(job["status"], "completed", "{job}");
    let result = &job["result"];
    let speakers: Vec<&Value> = result["diarization"]["speakers"]
        .as_array()
        .expect("speakers")
        .iter()
        .map(|one| &one["id"])
        .collect();
    assert_eq!(speakers, ["A", "B"]);
    let utterances = result["transcript"]["utterances"].as_array().expect("utterances");
    assert_eq!(utterances[0]["speaker"], "A", "speakers are named in the order in which they first speak");
    assert!(utterances.iter().any(|utterance| utterance["speaker"] == "B"), "{utterances:?}");
    let joined: Vec<&str> = utterances.iter().filter_map(|utterance| utterance["text"].as_str()).collect();
    assert_eq!(joined.join(" "), result["transcript"]["text"], "every word belongs to exactly one utterance");
    let steps = client.get(&format!("/v1/jobs/{id}/steps")).send().await.expect_status(200).json();
    assert_eq!(
        steps["data"][0]["output"], result["diarization"],
        "the step has the same output as the result"
    );
    assert_eq!(steps["data"][0]["resolved_model"], "pyannote-campplus");
    assert_eq!(steps["data"][0]["usage"]["audio_seconds"], 30);
    assert!(artifact(&client, &job, "transcript.txt").await.starts_with("A: word1 "));
    assert!(artifact(&client, &job, "transcript.srt").await.contains("\nB: word"));
    assert!(artifact(&client, &job, "transcript.vtt").await.contains("\n<v B>word"));
    let transcript: Value =
        serde_json::from_str(&artifact(&client, &job, "transcript.json").await).expect("JSON");
    assert_eq!(transcript, result["transcript"]);
}

#[tokio::test]
async fn later_stages_get_the_speakers_and_the_number_of_speakers_is_respected() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_real_models().start().await;
    let client = server.client();
    let audio = transcribed(&server, &client).await;
    let text = model_for(&client, "summary").await;
    let body = json!({"job_id": audio, "processing": {
        "diarization": {"min_speakers": 3, "max_speakers": 3},
        "sentiment": {"model": text, "granularity": "utterance"},
        "summary": {"model": text},
        "tasks": [{"id": "who", "model": text, "instructions": "Repeat."}],
    }});
    let id = post_analysis(&client, &body).await.expect_status(202).id();
    let job = wait_and_check(&server, &client, &id).await;
    assert_eq!(job["status"], "completed", "{job}");
    let result = &job["result"];
    assert_eq!(result["diarization"]["speakers"].as_array().map(Vec::len), Some(3), "{result}");
    let utterances = result["transcript"]["utterances"].as_array().expect("utterances").len();
    assert_eq!(result["sentiment"]["utterances"].as_array().map(Vec::len), Some(utterances));
    let echo = result["tasks"]["who"]["text"].as_str().expect("text");
    assert!(echo.contains("\nB: "), "each turn names its speaker: {echo}");
}
