//! How the service must answer a boundary value. This is the only table that is written by hand.

use auris_e2e::Reply;
use auris_e2e::boundary_values::{BoundaryCase, Rule};

/// Codes for values of the wrong form. Well-formed requests that cannot be run have other codes.
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

/// How the answer to the case is wrong; `None` if it is right.
pub(crate) fn mistake(case: &BoundaryCase, reply: &Reply) -> Option<String> {
    if reply.status >= 500 {
        return Some(format!("{} -> {reply}", case.describe()));
    }
    let fine = match case.keeps {
        true => reply.status != 400 || !FORM_CODES.contains(&reply.error().code.as_str()),
        false => refused_as_expected(case, reply),
    };
    let wanted = match case.keeps {
        true => "no error about its form".to_owned(),
        false => format!("400 with code in {:?}", codes(case)),
    };
    (!fine).then(|| format!("{}: expected {wanted}, got {reply}", case.describe()))
}

/// Panics with all wrong answers, so that one run shows everything.
pub(crate) fn report(cases: usize, mistakes: Vec<String>) {
    eprintln!("{cases} cases");
    assert!(mistakes.is_empty(), "{} of {cases} cases failed:\n{}", mistakes.len(), mistakes.join("\n"));
}

fn refused_as_expected(case: &BoundaryCase, reply: &Reply) -> bool {
    if reply.status != 400 {
        return false;
    }
    let error = reply.error();
    let param = error.param.unwrap_or_default();
    // The error shortens a key of the wrong length.
    let named = param == case.param || (case.rule == Rule::PropertyName && param.starts_with("metadata"));
    named && codes(case).contains(&error.code.as_str())
}

fn codes(case: &BoundaryCase) -> &'static [&'static str] {
    let last = case.param.rsplit('.').next().unwrap_or_default();
    match (case.rule, last) {
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
