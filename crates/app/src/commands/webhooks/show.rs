//! Endpoints, deliveries and attempts as text for people.

use auris_service::operator::{AttemptDetails, DeliveryRecord, EndpointRecord, NextAttempt, TestResult};

pub(super) fn endpoint_row(endpoint: &EndpointRecord) -> Vec<String> {
    let failing = endpoint.failing_since.map(|since| format!("failing since {}", since.to_rfc3339()));
    let note = endpoint.disabled_because.clone().or(failing).unwrap_or_default();
    vec![
        endpoint.id.to_string(),
        endpoint.status.as_str().into(),
        endpoint.url.clone(),
        endpoint.created_at.to_rfc3339(),
        note,
    ]
}

pub(super) fn delivery_row(delivery: &DeliveryRecord) -> Vec<String> {
    vec![
        delivery.id.to_string(),
        delivery.status.as_str().into(),
        delivery.attempts.to_string(),
        delivery.last_attempts.last().map(outcome_text).unwrap_or_default(),
        next_text(delivery.next),
        delivery.job_id.to_string(),
        delivery.url.clone(),
    ]
}

pub(super) fn delivery_text(delivery: &DeliveryRecord) -> String {
    let mut lines = vec![
        format!("{}  {}  {}", delivery.id, delivery.status.as_str(), next_text(delivery.next)),
        format!("to    {}", delivery.url),
        format!("event {}  job {}", delivery.event_id, delivery.job_id),
        format!("body  {}", delivery.body),
    ];
    for attempt in &delivery.last_attempts {
        lines.push(format!(
            "\nattempt {} at {}: {} in {} ms",
            attempt.number,
            attempt.started_at.to_rfc3339(),
            outcome_text(attempt),
            attempt.milliseconds
        ));
        lines.extend(attempt.answer.iter().filter(|answer| !answer.is_empty()).map(|text| indented(text)));
    }
    lines.join("\n")
}

pub(super) fn test_text(result: &TestResult) -> String {
    let milliseconds = result.milliseconds;
    match (result.status, &result.answer, &result.error) {
        (Some(status), Some(answer), _) if !answer.is_empty() => {
            format!("{status} in {milliseconds} ms\n{}", indented(answer))
        }
        (Some(status), _, _) => format!("{status} in {milliseconds} ms"),
        (None, _, Some(error)) => format!("no answer in {milliseconds} ms: {error}"),
        (None, _, None) => format!("no answer in {milliseconds} ms"),
    }
}

fn outcome_text(attempt: &AttemptDetails) -> String {
    match (&attempt.status, &attempt.error) {
        (Some(status), _) => status.to_string(),
        (None, Some(error)) => error.clone(),
        (None, None) => "no answer".into(),
    }
}

fn next_text(next: NextAttempt) -> String {
    match next {
        NextAttempt::Never => String::new(),
        NextAttempt::BeingSent => "being sent".into(),
        NextAttempt::Now => "now".into(),
        NextAttempt::At(at) => at.to_rfc3339(),
    }
}

/// Indents a receiver's response. Control characters are replaced, because they could command the terminal.
fn indented(text: &str) -> String {
    let plain = |letter: char| if letter.is_control() && letter != '\n' { ' ' } else { letter };
    text.lines()
        .map(|line| format!("    {}", line.chars().map(plain).collect::<String>()))
        .collect::<Vec<_>>()
        .join("\n")
}
