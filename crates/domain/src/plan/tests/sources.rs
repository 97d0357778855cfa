//! What a task may read.

use super::source::{Pointer, resolve};
use super::*;

const SOURCE: &str = "processing.tasks[0].sources[0]";

fn reading(source: &str) -> Value {
    let mut body = body(
        json!({"summary": {}, "tasks": [task("a", &[source]), task("b", &["#/transcript/text"]), json_task("c", &["#/transcript/text"])]}),
    );
    body["transcript"]["own/field"] = json!([1]);
    body
}

#[test]
fn what_the_request_produces_can_be_read() {
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
fn what_the_request_does_not_produce_cannot() {
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
fn a_bad_source_is_named_by_its_place() {
    let tasks = json!({"tasks": [task("a", &["#/transcript"]), task("b", &["#/transcript", "#/nothing"])]});
    refused(body(tasks), ErrorCode::InvalidSource, "processing.tasks[1].sources[1]");
}

#[test]
fn a_task_that_reads_itself_is_a_cycle() {
    refused(reading("#/tasks/a/text"), ErrorCode::SourceCycle, SOURCE);
}

#[test]
fn a_cycle_is_named_by_a_source_on_it() {
    let tasks = json!({"tasks": [
        task("reader", &["#/tasks/x"]),
        task("x", &["#/transcript/text", "#/tasks/y"]),
        task("y", &["#/tasks/z/text"]),
        task("z", &["#/tasks/x/text"]),
    ]});
    let error = plan_of(body(tasks)).unwrap_err();
    assert_eq!(error.code, ErrorCode::SourceCycle);
    let on_the_cycle = [
        "processing.tasks[1].sources[1]",
        "processing.tasks[2].sources[0]",
        "processing.tasks[3].sources[0]",
    ];
    assert!(on_the_cycle.contains(&error.param.as_deref().unwrap()), "{error:?}");
}

#[test]
fn utterances_are_the_default_where_there_are_any() {
    let source = |body: Value| plan_of(body).unwrap().pop().unwrap().spec["sources"].clone();
    let tasks = json!({"tasks": [{"id": "a", "model": "words"}]});
    assert_eq!(source(body(tasks.clone())), json!(["#/transcript/text"]));
    let mut given = body(tasks.clone());
    given["transcript"]["utterances"] = json!([{"text": "Hello."}]);
    assert_eq!(source(given), json!(["#/transcript/utterances"]));
    let diarized = json!({"diarization": {}, "tasks": [{"id": "a", "model": "words"}]});
    assert_eq!(source(body_with_audio(diarized)), json!(["#/transcript/utterances"]));
}

#[test]
fn utterances_of_the_job_count_too() {
    let request = AnalysisRequest::parse(
        json!({"processing": {"tasks": [{"id": "a", "model": "words"}]}, "job_id": JOB}),
    )
    .unwrap();
    let transcript = json!({"text": "Hi.", "utterances": [{"text": "Hi."}]});
    let planned = analysis(&request, &models(), "free", PlanInput::of(&transcript, Some(3))).unwrap();
    assert_eq!(planned[0].spec["sources"], json!(["#/transcript/utterances"]));
}

#[test]
fn pointers_have_names_with_known_escapes() {
    for good in ["#/a", "#/a/b", "#/a~1b/~0", "#/a~01"] {
        assert!(Pointer::parse(good).is_some(), "{good}");
    }
    for bad in ["", "#", "#/", "/a", "a", "#a", "#//", "#/a//b", "#/a/", "#/~", "#/a~2", "#/~~0"] {
        assert!(Pointer::parse(bad).is_none(), "{bad}");
    }
}

#[test]
fn a_pointer_finds_its_value_or_nothing() {
    let document = json!({"tasks": {"a": {"json": {"items": [{"x/y": 1, "~1": 2}]}}}});
    assert_eq!(resolve(&document, "#/tasks/a/json/items/0/x~1y"), Some(&json!(1)));
    assert_eq!(resolve(&document, "#/tasks/a/json/items/0/~01"), Some(&json!(2)));
    for absent in
        ["#/tasks/b", "#/tasks/a/json/items/1", "#/tasks/a/json/items/00", "#/tasks/a/json/items/-", "tasks"]
    {
        assert_eq!(resolve(&document, absent), None, "{absent}");
    }
}
