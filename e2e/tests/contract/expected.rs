//! What the service must say to a value at the edge of a rule: the only table written by hand.

use auris_e2e::Reply;
use auris_e2e::edges::{Edge, Rule};

/// Codes that say that a value has the wrong form; what else may be wrong with a well-formed request has others.
const FORM_CODES: [&str; 11] = [
    "invalid_json",
    "missing_required_parameter",
    "unknown_parameter",
    "invalid_type",
    "invalid_value",
    "value_too_long",
    "value_too_short",
    "too_many_items",
    "invalid_id",
    "invalid_webhook_url",
    "metadata_too_large",
];

/// What is wrong with the answer to the edge, or nothing.
pub(crate) fn complaint(edge: &Edge, reply: &Reply) -> Option<String> {
    if reply.status >= 500 {
        return Some(format!("{} -> {reply}", edge.describe()));
    }
    let fine = match edge.keeps {
        true => reply.status != 400 || !FORM_CODES.contains(&reply.error().code.as_str()),
        false => refused_as_expected(edge, reply),
    };
    let wanted = match edge.keeps {
        true => "no complaint about its form".to_owned(),
        false => format!("400 with code in {:?}", codes(edge)),
    };
    (!fine).then(|| format!("{}: expected {wanted}, got {reply}", edge.describe()))
}

/// Panics with all complaints at once: one run shows everything.
pub(crate) fn report(cases: usize, complaints: Vec<String>) {
    eprintln!("{cases} cases");
    assert!(
        complaints.is_empty(),
        "{} of {cases} cases failed:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}

fn refused_as_expected(edge: &Edge, reply: &Reply) -> bool {
    if reply.status != 400 {
        return false;
    }
    let error = reply.error();
    let param = error.param.unwrap_or_default();
    // A key of the wrong length is named in short.
    let named = param == edge.param || (edge.rule == Rule::PropertyName && param.starts_with("metadata"));
    named && codes(edge).contains(&error.code.as_str())
}

fn codes(edge: &Edge) -> &'static [&'static str] {
    let last = edge.param.rsplit('.').next().unwrap_or_default();
    match (edge.rule, last) {
        (Rule::Type, _) => &["invalid_type"],
        (Rule::Required, "Idempotency-Key") => &["idempotency_key_required"],
        (Rule::Required, _) => &["missing_required_parameter"],
        (Rule::UnknownField, _) => &["unknown_parameter"],
        (_, "Idempotency-Key") => &["invalid_idempotency_key"],
        (_, "Last-Event-ID") => &["invalid_last_event_id"],
        (_, "after") => &["invalid_cursor"],
        (Rule::Pattern, "job_id" | "jobId" | "stepId" | "artifactId" | "endpointId") => &["invalid_id"],
        (Rule::Pattern | Rule::Format | Rule::MinLength, "webhook_url" | "url") => &["invalid_webhook_url"],
        (Rule::MaxLength, "webhook_url" | "url") => &["value_too_long", "invalid_webhook_url"],
        (Rule::Enum, "limit") => &["invalid_type", "invalid_value"],
        (Rule::Enum | Rule::Pattern | Rule::Format | Rule::Minimum | Rule::Maximum, _) => &["invalid_value"],
        (Rule::MinLength | Rule::MinItems, _) => &["value_too_short"],
        (Rule::MaxLength, _) => &["value_too_long"],
        (Rule::MaxItems, _) => &["too_many_items"],
        (Rule::MaxProperties, _) => &["metadata_too_large"],
        (Rule::PropertyName, _) => &["value_too_long", "value_too_short"],
    }
}
