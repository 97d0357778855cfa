//! Boundary values of texts and numbers.

use serde_json::{Value, json};

use super::Rule;
use super::case_list::{CaseList, Place};
use super::sample::{WORDS, accepts};

/// Boundary values of a text: its length, its pattern, its allowed values.
pub(super) fn text(cases: &mut CaseList, place: &Place<'_>) {
    if place.schema.get("const").is_some() || place.schema.get("enum").is_some() {
        return values(cases, place);
    }
    let schema = place.schema;
    if let Some(most) = schema["maxLength"].as_u64() {
        lengths(cases, place, Rule::MaxLength, [most, most + 1]);
    }
    if let Some(least) = schema["minLength"].as_u64().filter(|least| *least > 0) {
        lengths(cases, place, Rule::MinLength, [least, least - 1]);
    }
    if schema.get("pattern").is_some() {
        words(cases, place, Rule::Pattern);
    } else if schema.get("format").is_some() {
        words(cases, place, Rule::Format);
    }
}

/// Boundary values of a number: its minimum and maximum.
pub(super) fn number(cases: &mut CaseList, place: &Place<'_>) {
    let step = if place.schema["type"] == "integer" { json!(1) } else { json!(0.001) };
    let step = step.as_f64().unwrap_or(1.0);
    if let Some(least) = place.schema["minimum"].as_f64() {
        cases.add(place, Rule::Minimum, plain(least));
        cases.add(place, Rule::Minimum, plain(least - step));
    }
    if let Some(most) = place.schema["maximum"].as_f64() {
        cases.add(place, Rule::Maximum, plain(most));
        cases.add(place, Rule::Maximum, plain(most + step));
    }
}

fn values(cases: &mut CaseList, place: &Place<'_>) {
    for value in place.schema["enum"].as_array().into_iter().flatten() {
        cases.add(place, Rule::Enum, value.clone());
    }
    cases.add(place, Rule::Enum, json!("no_such_value"));
}

fn lengths(cases: &mut CaseList, place: &Place<'_>, rule: Rule, lengths: [u64; 2]) {
    let mut free = place.schema.clone();
    if let Some(object) = free.as_object_mut() {
        object.shift_remove("minLength");
        object.shift_remove("maxLength");
    }
    for length in lengths {
        let texts = texts_of(length as usize);
        // The pattern may not allow any text of that length.
        if let Some(text) = texts.iter().find(|text| accepts(&free, &json!(text))) {
            cases.add(place, rule, json!(text));
        } else if length == 0 {
            cases.add(place, rule, json!(""));
        }
    }
    // Limits count characters, not bytes.
    let accented = "é".repeat(lengths[0] as usize);
    if accepts(&free, &json!(accented)) {
        cases.add(place, rule, json!(accented));
    }
}

fn texts_of(length: usize) -> Vec<String> {
    let starts = ["", "#/", "https://127.0.0.1:9/", "job_"].iter();
    let mut texts: Vec<String> = starts
        .filter(|start| start.len() < length || length == 0)
        .map(|start| format!("{start}{}", "a".repeat(length.saturating_sub(start.len()))))
        .collect();
    // The parts of a language tag have at most eight letters.
    texts.push("aaaaaaaa-".repeat(length / 9 + 1)[..length].to_owned());
    texts
}

// Every word with a valid length, so that only the pattern or format can refuse it.
fn words(cases: &mut CaseList, place: &Place<'_>, rule: Rule) {
    let least = place.schema["minLength"].as_u64().unwrap_or(0) as usize;
    let most = place.schema["maxLength"].as_u64().unwrap_or(u64::MAX) as usize;
    let fitting = WORDS.iter().filter(|word| (least..=most).contains(&word.len()));
    for word in fitting {
        cases.add(place, rule, json!(word));
    }
}

fn plain(number: f64) -> Value {
    if number.fract() == 0.0 { json!(number as i64) } else { json!(number) }
}
