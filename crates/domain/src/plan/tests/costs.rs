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
