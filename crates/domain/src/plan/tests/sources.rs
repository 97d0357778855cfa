//! Tests of the sources that a task may read.

use super::*;

const SOURCE: &str = "processing.tasks[0].sources[0]";

/// A request whose first task reads `source`. It also has a summary, a text task and a JSON task.
fn reading(source: &str) -> Value {
    let text = ["#/transcript/text"];
    let tasks = [task("a", &[source]), task("b", &text), json_task("c", &text)];
    let mut body = body(json!({"summary": {}, "tasks": tasks}));
    body["transcript"]["own/field"] = json!([1]);
    body
}

#[test]
fn a_task_can_read_what_the_request_produces() {
    for source in [
        "#/transcript",
        "#/transcript/text",
        "#/transcript/language",
        "#/transcript/duration_seconds",
        "#/transcript/segments/0/text",
        "#/transcript/utterances",
        "#/transcript/own~1field/0",
        "#/summary",
        "#/summary/text",
        "#/summary/bullets/0",
        "#/tasks/b",
        "#/tasks/b/text",
        "#/tasks/c/json/items/0",
    ] {
        plan_of(reading(source)).unwrap_or_else(|error| panic!("{source}: {}", error.message));
    }
}

#[test]
fn a_task_cannot_read_what_the_request_does_not_produce() {
    for source in [
        "#/transcript/foo",
        "#/transcript/own",
        "#/chapters",
        "#/diarization/turns",
        "#/summary/foo",
        "#/tasks",
        "#/tasks/nobody",
        "#/tasks/b/foo",
        "#/tasks/b/json",
        "#/task/b",
        "#/artifacts/0",
        "#/errors",
        "#/unknown",
        "#/a~0b/c~1d",
    ] {
        refused(reading(source), ErrorCode::InvalidSource, SOURCE);
    }
}

#[test]
fn an_invalid_source_is_named_by_its_index() {
    let tasks = json!({"tasks": [task("a", &["#/transcript"]), task("b", &["#/transcript", "#/nothing"])]});
    refused(body(tasks), ErrorCode::InvalidSource, "processing.tasks[1].sources[1]");
}

#[test]
fn a_task_that_reads_itself_is_a_cycle() {
    refused(reading("#/tasks/a/text"), ErrorCode::SourceCycle, SOURCE);
}

#[test]
fn the_error_for_a_cycle_names_a_source_in_it() {
    let tasks = json!({"tasks": [
        task("reader", &["#/tasks/x"]),
        task("x", &["#/transcript/text", "#/tasks/y"]),
        task("y", &["#/tasks/z/text"]),
        task("z", &["#/tasks/x/text"]),
    ]});
    let error = plan_of(body(tasks)).unwrap_err();
    assert_eq!(error.code, ErrorCode::SourceCycle);
    let in_the_cycle = [
        "processing.tasks[1].sources[1]",
        "processing.tasks[2].sources[0]",
        "processing.tasks[3].sources[0]",
    ];
    assert!(in_the_cycle.contains(&error.param.as_deref().unwrap()), "{error:?}");
}

#[test]
fn utterances_are_the_default_source_if_there_are_any() {
    let sources = |body: Value| task_spec(plan_of(body).unwrap().last().unwrap()).sources.clone();
    let tasks = json!({"tasks": [{"id": "a", "model": "words"}]});
    assert_eq!(sources(body(tasks.clone())), ["#/transcript/text"]);
    let mut given = body(tasks.clone());
    given["transcript"]["utterances"] = json!([{"text": "Hello."}]);
    assert_eq!(sources(given), ["#/transcript/utterances"]);
    let diarized = json!({"diarization": {}, "tasks": [{"id": "a", "model": "words"}]});
    assert_eq!(sources(body_with_audio(diarized)), ["#/transcript/utterances"]);
}

#[test]
fn utterances_of_the_named_job_are_the_default_source() {
    let body = json!({"processing": {"tasks": [{"id": "a", "model": "words"}]}, "job_id": JOB});
    let request = request_of(&body).unwrap();
    let transcript = r#"{"text": "Hi.", "utterances": [{"text": "Hi."}]}"#;
    let input = PlanInput::of(&SourceTranscript::from_json(transcript).unwrap(), Some(3));
    let planned = analysis(&request, free_plan(&models()), input, &by_bytes).unwrap();
    assert_eq!(task_spec(&planned[0]).sources, ["#/transcript/utterances"]);
}
