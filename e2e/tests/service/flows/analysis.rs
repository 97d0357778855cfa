//! Analyses that succeed: all stages, tasks over their outputs, and the audio of an earlier job.

use auris_e2e::finished_job::wait_and_check;
use auris_e2e::requests::{analysis, model_for, post_analysis, submit_transcription, transcript};
use auris_e2e::{DatabaseKind, Server, both_databases};
use serde_json::{Value, json};

both_databases! {
    async fn every_stage_and_task_has_its_part_of_the_result(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let audio = submit_transcription(&client).await;
        server.finished(&client, &audio).await;
        let model = model_for(&client, "task").await;
        let body = json!({"job_id": audio, "metadata": {"call": "4711"}, "processing": everything(&model)});
        let reply = post_analysis(&client, &body).await.expect_status(202);
        assert_eq!(reply.json()["metadata"], json!({"call": "4711"}));
        let job = wait_and_check(&server, &client, &reply.id()).await;
        assert_eq!(job["status"], "completed", "{job}");
        let result = &job["result"];
        for part in ["transcript", "diarization", "chapters", "entities", "formatting", "key_phrases", "sentiment", "summary", "topics"] {
            assert!(result[part].is_object(), "{part} in {result}");
        }
        assert!(result["tasks"]["plain"]["text"].is_string(), "{result}");
        assert!(result["tasks"]["shaped"]["json"].is_object(), "{result}");
        assert!(result["tasks"]["after"]["text"].is_string(), "{result}");
        assert!(result["transcript"]["utterances"][0]["speaker"].is_string(), "{result}");
        steps_are_in_running_order(&client, &reply.id()).await;
    }

    async fn a_synchronous_analysis_returns_the_finished_job(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let mut body = analysis();
        body["async"] = json!(false);
        let job = post_analysis(&client, &body).await.expect_status(202).json();
        assert_eq!(job["status"], "completed", "{job}");
        assert!(job["result"]["summary"]["text"].is_string(), "{job}");
    }
}

#[tokio::test]
async fn a_given_transcript_keeps_its_extra_fields_and_can_be_sent_back() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let mut given = transcript();
    given["segments"] = json!([{"text": "Anna met Boris.", "start": 0.5, "mark": {"mine": [1]}}]);
    given["utterances"] = json!([{"text": "They were happy.", "speaker": "Z"}]);
    let body = json!({"transcript": given, "processing": {"summary": {}, "sentiment": {"granularity": "utterance"}}});
    let id = post_analysis(&client, &body).await.expect_status(202).id();
    let job = wait_and_check(&server, &client, &id).await;
    let transcript = &job["result"]["transcript"];
    assert_eq!(transcript["text"], given["text"]);
    assert_eq!(transcript["segments"][0]["mark"], json!({"mine": [1]}));
    assert_eq!(transcript["utterances"][0]["speaker"], "Z");
    let again = json!({"transcript": transcript, "processing": {"topics": {}}});
    let id = post_analysis(&client, &again).await.expect_status(202).id();
    assert_eq!(wait_and_check(&server, &client, &id).await["status"], "completed");
}

#[tokio::test]
async fn a_list_of_jobs_omits_the_results_and_a_single_job_has_its_result() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let id = post_analysis(&client, &analysis()).await.expect_status(202).id();
    server.finished(&client, &id).await;
    let list = client.get("/v1/jobs").send().await.expect_status(200).json();
    let listed = list["data"][0]["result"].as_object().expect("a result");
    assert!(listed.keys().all(|key| ["artifacts", "errors"].contains(&key.as_str())), "{listed:?}");
    let job = client.get(&format!("/v1/jobs/{id}")).send().await.json();
    assert!(job["result"]["summary"].is_object(), "{job}");
}

fn everything(model: &str) -> Value {
    let schema = json!({"type": "object", "required": ["items"], "properties": {"items": {"type": "array", "items": {"type": "string"}}}});
    json!({
        "diarization": {"model": "fake-diarizer", "min_speakers": 1, "max_speakers": 2},
        "chapters": {}, "entities": {"types": ["person", "place"]}, "formatting": {}, "key_phrases": {},
        "sentiment": {"granularity": "utterance"}, "summary": {"type": "bullets"}, "topics": {},
        "failure_policy": "fail_fast",
        "tasks": [
            {"id": "after", "model": model, "instructions": "Go on.", "sources": ["#/tasks/shaped/json", "#/summary/text"]},
            {"id": "plain", "model": model, "instructions": "Say it again.", "max_output_tokens": 100, "temperature": 0.5},
            {"id": "shaped", "model": model, "instructions": "List it.", "reasoning": {"effort": "low"},
             "text": {"format": {"type": "json_schema", "name": "list", "schema": schema}}},
        ],
    })
}

// Every step comes after the steps that it depends on.
async fn steps_are_in_running_order(client: &auris_e2e::Client, job: &str) {
    let steps = client.get(&format!("/v1/jobs/{job}/steps")).send().await.expect_status(200).json();
    let keys: Vec<&str> =
        steps["data"].as_array().into_iter().flatten().filter_map(|step| step["key"].as_str()).collect();
    let place = |key: &str| {
        keys.iter().position(|found| *found == key).unwrap_or_else(|| panic!("{key} in {keys:?}"))
    };
    assert!(place("diarization") < place("summary"), "{keys:?}");
    assert!(place("summary") < place("tasks/after"), "{keys:?}");
    assert!(place("tasks/shaped") < place("tasks/after"), "{keys:?}");
    assert_eq!(steps["has_more"], false);
    for step in steps["data"].as_array().into_iter().flatten() {
        let id = step["id"].as_str().unwrap_or_default();
        let read = client.get(&format!("/v1/jobs/{job}/steps/{id}")).send().await.expect_status(200);
        assert_eq!(read.json()["key"], step["key"]);
        assert!(read.json()["output"].is_object(), "{read}");
    }
}
