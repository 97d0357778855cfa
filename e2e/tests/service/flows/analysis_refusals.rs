//! Well-formed analyses that cannot be run: each is refused with a reason, and nothing is stored.

use auris_e2e::requests::{analysis, model_for, post_analysis, submit_transcription, transcript};
use auris_e2e::{Client, DatabaseKind, Server, both_databases, put};
use serde_json::{Value, json};

#[tokio::test]
async fn an_analysis_that_cannot_run_is_refused_before_anything_is_stored() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let model = model_for(&client, "task").await;
    let before = server.files().len();
    for (name, body, code, param) in refusals(&model) {
        let reply = post_analysis(&client, &body).await;
        let status = if code.ends_with("_not_found") { 404 } else { 400 };
        assert_eq!(reply.status, status, "{name}: {reply}");
        assert_eq!(reply.error().code, code, "{name}: {reply}");
        assert_eq!(reply.error().param.as_deref(), param, "{name}: {reply}");
    }
    assert_eq!(client.get("/v1/jobs").send().await.json()["data"], json!([]));
    assert_eq!(server.files().len(), before, "no file is left");
}

both_databases! {
    async fn an_earlier_job_must_be_completed_and_its_audio_retained(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let running = delayed_transcription(&client).await;
        refused(&client, &running, 409, "job_not_finished").await;
        client.post(&format!("/v1/jobs/{running}/cancel")).send().await.expect_status(200);
        let done = submit_transcription(&client).await;
        server.finished(&client, &done).await;
        client.delete(&format!("/v1/jobs/{done}/content")).send().await.expect_status(200);
        refused(&client, &done, 409, "content_unavailable").await;
        refused(&client, "job_00000000000000000000", 404, "job_not_found").await;
    }
}

async fn refused(client: &Client, job: &str, status: u16, code: &str) {
    let body = json!({"job_id": job, "processing": {"summary": {}}});
    let error = post_analysis(client, &body).await.expect_error(status, code);
    assert_eq!(error.param.as_deref(), Some("job_id"));
}

async fn delayed_transcription(client: &Client) -> String {
    let form = auris_e2e::requests::transcription_form(client).await;
    let form = form.text("async", "true").text("prompt", "fake:delay=60000");
    auris_e2e::requests::post_transcription(client, &form).await.expect_status(202).id()
}

type Refusal = (&'static str, Value, &'static str, Option<&'static str>);

fn refusals(model: &str) -> Vec<Refusal> {
    let with = |path: &str, value: Value| {
        let mut body = analysis();
        put(&mut body, path, value);
        body
    };
    let task = |id: &str, sources: &[&str]| json!({"id": id, "model": model, "sources": sources});
    let tasks = |tasks: Vec<Value>| with("processing.tasks", json!(tasks));
    let bad_schema = json!({"format": {"type": "json_schema", "name": "x", "schema": {"type": 7}}});
    vec![
        (
            "neither transcript nor job",
            json!({"processing": {"summary": {}}}),
            "missing_required_parameter",
            Some("transcript"),
        ),
        (
            "nothing to do",
            json!({"transcript": transcript(), "processing": {}}),
            "nothing_to_process",
            Some("processing"),
        ),
        (
            "only a policy",
            json!({"transcript": transcript(), "processing": {"failure_policy": "fail_fast", "tasks": []}}),
            "nothing_to_process",
            Some("processing"),
        ),
        (
            "diarization of a text",
            with("processing.diarization", json!({})),
            "audio_required",
            Some("processing.diarization"),
        ),
        (
            "an unknown model",
            with("processing.summary.model", json!("no-such-model")),
            "model_not_found",
            Some("processing.summary.model"),
        ),
        (
            "an unknown model of a task",
            tasks(vec![json!({"id": "a", "model": "no-such-model"})]),
            "model_not_found",
            Some("processing.tasks[0].model"),
        ),
        (
            "a source that is not produced",
            tasks(vec![task("a", &["#/topics/topics"])]),
            "invalid_source",
            Some("processing.tasks[0].sources[0]"),
        ),
        (
            "a source of an unknown task",
            tasks(vec![task("a", &["#/transcript/text", "#/tasks/b/text"])]),
            "invalid_source",
            Some("processing.tasks[0].sources[1]"),
        ),
        (
            "a task that depends on itself",
            tasks(vec![task("a", &["#/tasks/a/text"])]),
            "source_cycle",
            Some("processing.tasks[0].sources[0]"),
        ),
        (
            "two tasks with the same id",
            tasks(vec![task("a", &["#/transcript/text"]), task("a", &["#/transcript/text"])]),
            "duplicate_task_id",
            Some("processing.tasks[1].id"),
        ),
        (
            "an invalid schema",
            tasks(vec![json!({"id": "a", "model": model, "text": bad_schema})]),
            "invalid_json_schema",
            Some("processing.tasks[0].text.format.schema"),
        ),
    ]
}
