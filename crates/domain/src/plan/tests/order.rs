//! Tests of the steps of a plan: their order, their needs and their models.

use super::*;
use crate::metadata::Metadata;
use crate::request::ResponseFormat;
use crate::step::StepStatus;
use crate::step::spec::{Effort, Reasoning, SummarySpec, SummaryType, TaskText, TextFormat, TextStage};

fn upload() -> TranscriptionRequest {
    TranscriptionRequest {
        model: "ears".into(),
        asynchronous: true,
        language: Some("en".into()),
        prompt: None,
        response_format: ResponseFormat::Json,
        stream: false,
        webhook_url: None,
        metadata: Metadata::default(),
    }
}

#[test]
fn independent_stages_keep_the_request_order() {
    let planned = plan_of(body(json!({"summary": {}, "chapters": {}, "entities": {}}))).unwrap();
    assert_eq!(keys(&planned), ["summary", "chapters", "entities"]);
    assert!(planned.iter().all(|step| step.needs.is_empty()));
}

#[test]
fn steps_that_need_nothing_come_before_steps_that_wait() {
    let processing = json!({
        "tasks": [task("late", &["#/tasks/early/text"]), task("early", &["#/summary/text", "#/entities"])],
        "summary": {}, "entities": {},
    });
    let planned = plan_of(body(processing)).unwrap();
    assert_eq!(keys(&planned), ["summary", "entities", "tasks/early", "tasks/late"]);
    assert_eq!(needs(&planned), [vec![], vec![], vec![0, 1], vec![2]]);
}

#[test]
fn every_text_stage_waits_for_diarization() {
    let planned =
        plan_of(body_with_audio(json!({"summary": {}, "diarization": {}, "sentiment": {}}))).unwrap();
    assert_eq!(keys(&planned), ["diarization", "summary", "sentiment"]);
    assert_eq!(needs(&planned), [vec![], vec![0], vec![0]]);
}

#[test]
fn a_task_waits_for_diarization_only_if_it_reads_its_output() {
    let processing = json!({
        "diarization": {},
        "tasks": [
            task("a", &["#/transcript/text"]),
            task("b", &["#/transcript/utterances/0/speaker"]),
            task("c", &["#/transcript"]),
            task("d", &["#/diarization/speakers"]),
            {"id": "e", "model": "words"},
        ],
    });
    let planned = plan_of(body_with_audio(processing)).unwrap();
    assert_eq!(keys(&planned), ["diarization", "tasks/a", "tasks/b", "tasks/c", "tasks/d", "tasks/e"]);
    assert_eq!(needs(&planned), [vec![], vec![], vec![0], vec![0], vec![0], vec![0]]);
}

#[test]
fn two_sources_from_one_step_are_one_need() {
    let processing = json!({"summary": {}, "tasks": [task("a", &["#/summary/text", "#/summary/type"])]});
    assert_eq!(needs(&plan_of(body(processing)).unwrap()), [vec![], vec![0]]);
}

#[test]
fn a_stage_without_a_model_runs_on_the_default() {
    let planned = plan_of(body(json!({"summary": {}, "topics": {"model": "text"}}))).unwrap();
    let models: Vec<_> =
        planned.iter().map(|step| (step.requested_model.as_deref(), step.resolved_model.as_str())).collect();
    assert_eq!(models, [(None, "text"), (Some("text"), "text")]);
}

#[test]
fn an_error_about_a_model_names_its_parameter() {
    refused(body(json!({"summary": {"model": "no"}})), ErrorCode::ModelNotFound, "processing.summary.model");
    refused(
        body(json!({"summary": {"model": "ears"}})),
        ErrorCode::ModelCapabilityMismatch,
        "processing.summary.model",
    );
    refused(body(json!({"topics": {}})), ErrorCode::ModelNotFound, "processing.topics");
    let tasks = json!({"tasks": [{"id": "a", "model": "words"}, {"id": "b", "model": "no"}]});
    refused(body(tasks), ErrorCode::ModelNotFound, "processing.tasks[1].model");
}

#[test]
fn a_model_above_the_projects_plan_is_refused() {
    let tasks = json!({"tasks": [{"id": "a", "model": "best"}]});
    refused(body(tasks), ErrorCode::PlanRequired, "processing.tasks[0].model");
}

#[test]
fn a_transcription_is_one_step() {
    let planned = transcription(&upload(), free_plan(&models()), 90).unwrap();
    assert_eq!(keys(&planned), ["transcription"]);
    assert_eq!(planned[0].cost_bound.to_string(), "0.009");
    let expected = TranscriptionSpec { language: Some("en".into()), prompt: None };
    assert_eq!(planned[0].spec, StepSpec::Transcription(expected));
    assert_eq!(planned[0].requested_model.as_deref(), Some("ears"));
}

#[test]
fn a_transcription_with_an_unknown_model_is_refused() {
    let request = TranscriptionRequest { model: "no".into(), ..upload() };
    let error = transcription(&request, free_plan(&models()), 90).unwrap_err();
    assert_eq!((error.code, error.param.as_deref()), (ErrorCode::ModelNotFound, Some("model")));
}

#[test]
fn a_spec_has_the_checked_options() {
    let mut custom = task("a", &["#/summary"]);
    custom["instructions"] = json!("Count.");
    custom["max_output_tokens"] = json!(5);
    custom["temperature"] = json!(0.5);
    custom["reasoning"] = json!({"effort": "low"});
    let planned = plan_of(body(json!({"summary": {}, "tasks": [custom]}))).unwrap();
    let summary = TextStage::Summary(SummarySpec { kind: SummaryType::Brief });
    assert_eq!(planned[0].spec, StepSpec::Stage(summary));
    let expected = TaskSpec {
        id: "a".into(),
        instructions: Some("Count.".into()),
        sources: vec!["#/summary".into()],
        max_output_tokens: 5,
        temperature: Some(0.5),
        reasoning: Some(Reasoning { effort: Effort::Low }),
        answer: TaskText { format: TextFormat::Text },
    };
    assert_eq!(task_spec(&planned[1]), &expected);
}

#[test]
fn steps_that_need_nothing_are_queued_and_the_others_blocked() {
    let planned = plan_of(body(json!({"summary": {}, "tasks": [task("a", &["#/summary/text"])]}))).unwrap();
    let steps = steps(planned, &JOB.parse().unwrap(), Millis(5_000));
    let seen: Vec<_> = steps.iter().map(|step| (step.ordinal, step.status())).collect();
    assert_eq!(seen, [(0, StepStatus::Queued), (1, StepStatus::Blocked)]);
    assert!(steps.iter().all(|step| step.attempt() == 0 && step.created_at.0 == 5));
    assert!(steps[0].id != steps[1].id && steps[0].job_id.as_str() == JOB);
}
