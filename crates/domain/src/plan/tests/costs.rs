//! Tests of the upper bounds of costs.

use super::*;

/// The unit bound of the step with this index.
fn bound(processing: Value, step: usize) -> Units {
    plan_of(body_with_audio(processing)).unwrap()[step].unit_bound
}

#[test]
fn a_stage_priced_per_character_costs_its_number_of_characters() {
    let transcript = json!({"text": "é".repeat(1000)});
    let planned = plan_of(json!({"processing": {"summary": {}}, "transcript": transcript})).unwrap();
    assert_eq!(planned[0].cost_bound.to_string(), "0.001");
    assert_eq!(planned[0].unit_bound.characters, 1000);
}

#[test]
fn diarization_is_priced_per_second_of_audio() {
    let planned = plan_of(body_with_audio(json!({"diarization": {}}))).unwrap();
    assert_eq!(planned[0].cost_bound.to_string(), "0.006");
}

#[test]
fn a_token_bound_is_at_least_the_number_of_bytes_read() {
    let mut custom = task("a", &["#/transcript/text"]);
    custom["instructions"] = json!("ü".repeat(100));
    let bound = bound(json!({"tasks": [custom]}), 0);
    assert!(bound.input_tokens >= 200 + "Hello.".len() as u64);
}

#[test]
fn output_is_limited_by_max_output_tokens_or_the_default() {
    let mut custom = task("a", &["#/transcript/text"]);
    assert_eq!(bound(json!({"tasks": [custom.clone()]}), 0).output_tokens, 1024);
    custom["max_output_tokens"] = json!(7);
    assert_eq!(bound(json!({"tasks": [custom]}), 0).output_tokens, 7);
}

#[test]
fn an_answer_with_a_schema_may_be_generated_twice() {
    let bound = bound(json!({"tasks": [json_task("a", &["#/transcript/text"])]}), 0);
    assert_eq!(bound.output_tokens, 2048);
}

#[test]
fn the_possible_output_of_a_source_step_counts_as_input() {
    let mut writer = task("a", &["#/transcript/text"]);
    writer["max_output_tokens"] = json!(100_000);
    let alone = bound(json!({"tasks": [task("b", &["#/transcript/text"])]}), 0);
    let after = bound(json!({"tasks": [writer, task("b", &["#/transcript/text", "#/tasks/a/text"])]}), 1);
    assert!(after.input_tokens >= alone.input_tokens + 100_000);
}

#[test]
fn a_bound_equal_to_max_cost_is_accepted_and_a_higher_one_is_refused() {
    let processing = |max_cost: &str| json!({"summary": {}, "chapters": {}, "max_cost_usd": max_cost});
    // Two stages read six characters each, at 0.000001 USD per character.
    assert!(plan_of(body(processing("0.000012"))).is_ok());
    let refusal = plan_of(body(processing("0.0000119999"))).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::MaxCostTooLow);
    assert_eq!(refusal.param.as_deref(), Some("processing.max_cost_usd"));
    assert!(
        refusal.message.contains("0.000012 ") && refusal.message.contains("0.0000119999"),
        "{}",
        refusal.message
    );
}

#[test]
fn a_longer_transcript_never_has_a_lower_bound() {
    let cost = |length: usize| {
        let transcript = json!({"text": "a".repeat(length)});
        let processing = json!({"tasks": [{"id": "a", "model": "words"}], "formatting": {}, "chapters": {}});
        let planned = plan_of(json!({"processing": processing, "transcript": transcript})).unwrap();
        planned.iter().map(|step| step.cost_bound).sum::<Usd>()
    };
    let costs: Vec<Usd> = [0, 1, 100, 8_191, 8_192, 50_000, 1_000_000].map(cost).to_vec();
    assert!(costs.is_sorted(), "{costs:?}");
}

/// A step as the counter of tokens saw it: its model, its key, the sources that are known and the tokens of the others.
type Seen = (String, String, Vec<String>, u64);

/// Plans a request whose tokens are counted as 30 and 40, and returns the steps that were counted.
fn counted(body: Value) -> (Vec<PlannedStep>, Vec<Seen>) {
    let request = request_of(&body).unwrap();
    let transcript = request.transcript.clone().unwrap_or_default();
    let seen = std::cell::RefCell::new(Vec::new());
    let count = |step: &CountedStep<'_>| {
        let sources = step.known_sources.iter().map(|source| (*source).to_owned()).collect();
        seen.borrow_mut().push((step.model.to_owned(), step.spec.key(), sources, step.unknown_tokens));
        Some(TokenBound { input: 30, output: 40 })
    };
    let input = PlanInput::of(&transcript, request.job_id.as_ref().map(|_| 60));
    let planned = analysis(&request, free_plan(&models()), input, &count).unwrap();
    (planned, seen.into_inner())
}

#[test]
fn counted_tokens_replace_the_bytes_of_a_step_that_pays_for_tokens() {
    let tasks =
        [task("a", &["#/transcript/text"]), task("b", &["#/transcript/utterances", "#/tasks/a/text"])];
    let (planned, seen) = counted(body(json!({"summary": {}, "tasks": tasks})));
    let costs: Vec<String> = planned.iter().map(|step| step.cost_bound.to_string()).collect();
    // The summary is priced per character; each task costs 30 × 0.000001 + 40 × 0.00001 USD.
    assert_eq!(costs, ["0.000006", "0.00043", "0.00043"]);
    assert_eq!(planned[1].unit_bound.output_tokens, 40);
    let unknown = 2 * 40 + "#/tasks/a/text".len() as u64 + 16;
    let expected: [Seen; 2] = [
        ("words".into(), "tasks/a".into(), vec!["#/transcript/text".into()], 0),
        ("words".into(), "tasks/b".into(), vec!["#/transcript/utterances".into()], unknown),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn what_a_diarization_will_make_cannot_be_counted() {
    let tasks = [task("a", &["#/transcript/text"]), task("b", &["#/transcript/utterances"])];
    let (planned, seen) = counted(body_with_audio(json!({"diarization": {}, "tasks": tasks})));
    assert_eq!(seen.iter().map(|(_, key, ..)| key.as_str()).collect::<Vec<_>>(), ["tasks/a"]);
    assert!(planned[2].unit_bound.input_tokens > 1_000);
}

#[test]
fn a_bound_that_is_counted_is_compared_with_max_cost() {
    let tasks = json!([task("a", &["#/transcript/text"])]);
    let request = |most: &str| body(json!({"tasks": tasks, "max_cost_usd": most}));
    assert!(plan_of(request("0.00043")).is_err());
    assert_eq!(counted(request("0.00043")).0.len(), 1);
}

#[test]
fn the_notes_on_a_long_text_are_part_of_the_bound() {
    let bound = |length: usize| {
        let body = json!({"processing": {"tasks": [task("a", &["#/transcript/text"])]},
            "transcript": {"text": "a".repeat(length)}});
        plan_of(body).unwrap()[0].unit_bound
    };
    assert_eq!(bound(8_000).output_tokens, 1_024);
    assert_eq!(bound(20_000).output_tokens, 1_024 + 2 * 512);
    assert!(bound(20_000).input_tokens >= 20_000 + 2 * 512 + 3 * 1_024);
}
