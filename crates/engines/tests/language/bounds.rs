//! The most tokens that a step can use, counted with the model's own tokenizer: never less than it uses, and no more than
//! necessary for a small task.

use auris_domain::step::TextStage;
use auris_domain::step::spec::{SummarySpec, SummaryType};
use auris_domain::usage::TokenBound;
use auris_engines::{Engines, TaskRequest, TaskSource, TextAnswer, TextRequest, TextWork};
use serde_json::json;

use super::{SMALL, call, engines, json_task, run, run_task, task};

fn bound(engines: &Engines, work: TextWork, unknown_tokens: u64) -> TokenBound {
    let request = TextRequest { work, transcript: call() };
    engines.text(SMALL).unwrap().token_bound(&request, unknown_tokens).unwrap().unwrap()
}

fn task_bound(engines: &Engines, task: &TaskRequest) -> TokenBound {
    bound(engines, TextWork::Task(Box::new(task.clone())), 0)
}

#[track_caller]
fn is_within(used: &[&TextAnswer], bound: TokenBound) {
    let input: u64 = used.iter().map(|answer| answer.input_tokens).sum();
    let output: u64 = used.iter().map(|answer| answer.output_tokens).sum();
    assert!(input <= bound.input && output <= bound.output, "{input}, {output}: {bound:?}");
}

#[test]
fn a_small_task_that_writes_all_its_tokens_uses_its_whole_bound() {
    let (_folder, engines) = engines();
    let mut short = task("Tell everything about the call, in detail.");
    short.spec.max_output_tokens = 3;
    let bound = task_bound(&engines, &short);
    let answer = run_task(&engines, short);
    is_within(&[&answer], bound);
    let most = |used: u64| used * 3 / 2;
    assert!(bound.input <= most(answer.input_tokens), "{} of {bound:?}", answer.input_tokens);
    assert!(bound.output <= most(answer.output_tokens), "{} of {bound:?}", answer.output_tokens);
}

#[test]
fn a_bound_covers_the_second_attempt_of_an_answer_with_a_schema() {
    let (_folder, engines) = engines();
    let schema =
        json!({"type": "object", "required": ["caller"], "properties": {"caller": {"type": "string"}}});
    let first = json_task(schema, 0.0, 16);
    let bound = task_bound(&engines, &first);
    let second = TaskRequest { flaw: Some("é is not of the type string. ".repeat(200)), ..first.clone() };
    is_within(&[&run_task(&engines, first), &run_task(&engines, second)], bound);
}

#[test]
fn a_bound_covers_a_source_that_does_not_exist_yet() {
    let (_folder, engines) = engines();
    let later =
        TaskSource { pointer: "#/tasks/a/text".into(), text: "Dana takes the fee off. Ünïcödé! ".into() };
    let unknown = later.text.len() + later.pointer.len() + 16;
    let known = task("Who calls?");
    let bound = bound(&engines, TextWork::Task(Box::new(known.clone())), unknown as u64);
    let mut both = known;
    both.sources.push(later);
    is_within(&[&run_task(&engines, both)], bound);
}

#[test]
fn stages_stay_within_their_bounds() {
    let (_folder, engines) = engines();
    let summary = TextStage::Summary(SummarySpec { kind: SummaryType::Brief });
    let mut compared = 0;
    for stage in [summary, TextStage::Topics] {
        let work = TextWork::Stage(stage);
        let bound = bound(&engines, work.clone(), 0);
        // Small models do not always write a valid answer.
        if let Ok(answer) = run(&engines, SMALL, work) {
            is_within(&[&answer], bound);
            compared += 1;
        }
        assert!(bound.input < 2_000, "{bound:?}");
    }
    assert!(compared > 0, "no answer was valid");
}

#[test]
fn sources_that_are_too_long_are_counted_window_by_window_without_loading_the_weights() {
    let (_folder, engines) = engines();
    let mut long = task("Who calls?");
    long.sources[0].text = "The caller wants to change a flight to Lisbon. ".repeat(1_200);
    let bound = task_bound(&engines, &long);
    // More than twelve thousand tokens do not fit into one question: there are notes on at least two windows.
    assert!(bound.input > 12_000 && bound.output >= 24 + 2 * 512, "{bound:?}");
    assert_eq!(engines.loaded(), [format!("{SMALL} tokenizer")]);
}
