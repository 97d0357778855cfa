//! Endpoints, deliveries and attempts as people and as programs read them.

use auris_domain::time::Millis;
use auris_service::webhooks::Trial;
use auris_store::{Attempt, Delivery, DeliveryStatus, EndpointDetails};
use serde_json::{Value, json};

pub(super) fn endpoint_record(details: &EndpointDetails) -> Value {
    let endpoint = &details.endpoint;
    json!({
        "id": endpoint.id,
        "url": endpoint.url,
        "status": endpoint.status.as_str(),
        "created_at": endpoint.created_at,
        "failing_since": details.failing_since.map(Millis::timestamp),
        "disabled_because": details.disabled_because,
        "previous_secret_until": details.previous_until.map(Millis::timestamp),
    })
}

pub(super) fn endpoint_row(details: &EndpointDetails) -> Vec<String> {
    let endpoint = &details.endpoint;
    let failing = details.failing_since.map(|since| format!("failing since {}", moment(since)));
    let note = details.disabled_because.clone().or(failing).unwrap_or_default();
    vec![
        endpoint.id.to_string(),
        endpoint.status.as_str().into(),
        endpoint.url.clone(),
        endpoint.created_at.to_rfc3339(),
        note,
    ]
}

pub(super) fn delivery_record(delivery: &Delivery, attempts: &[Attempt]) -> Value {
    let next = next_of(delivery).map(Millis::timestamp);
    json!({
        "id": delivery.id,
        "event_id": delivery.event_id,
        "job_id": delivery.job_id,
        "endpoint_id": delivery.endpoint_id,
        "url": delivery.url,
        "status": delivery.status.as_str(),
        "attempts": delivery.attempts,
        "next_attempt_at": next,
        "created_at": delivery.created_at,
        "body": delivery.body,
        "last_attempts": attempts.iter().map(attempt_record).collect::<Vec<_>>(),
    })
}

fn attempt_record(attempt: &Attempt) -> Value {
    json!({
        "number": attempt.number,
        "started_at": attempt.started_at.timestamp(),
        "milliseconds": attempt.duration_ms,
        "status": attempt.status,
        "error": attempt.error,
        "answer": attempt.answer,
    })
}

pub(super) fn delivery_row(delivery: &Delivery, last: Option<&Attempt>, now: Millis) -> Vec<String> {
    vec![
        delivery.id.to_string(),
        delivery.status.as_str().into(),
        delivery.attempts.to_string(),
        last.map(result_of).unwrap_or_default(),
        next_text(delivery, now),
        delivery.job_id.to_string(),
        delivery.url.clone(),
    ]
}

pub(super) fn delivery_text(delivery: &Delivery, attempts: &[Attempt], now: Millis) -> String {
    let mut lines = vec![
        format!("{}  {}  {}", delivery.id, delivery.status.as_str(), next_text(delivery, now)),
        format!("to    {}", delivery.url),
        format!("event {}  job {}", delivery.event_id, delivery.job_id),
        format!("body  {}", delivery.body),
    ];
    for attempt in attempts {
        lines.push(format!(
            "\nattempt {} at {}: {} in {} ms",
            attempt.number,
            moment(attempt.started_at),
            result_of(attempt),
            attempt.duration_ms
        ));
        lines.extend(attempt.answer.iter().filter(|answer| !answer.is_empty()).map(|text| indented(text)));
    }
    lines.join("\n")
}

pub(super) fn trial_record(trial: &Trial) -> Value {
    let (status, answer, error) = match &trial.outcome {
        Ok(reply) => (Some(reply.status), Some(&reply.answer), None),
        Err(error) => (None, None, Some(error.to_string())),
    };
    json!({
        "url": trial.message.url,
        "webhook_id": trial.message.id,
        "body": String::from_utf8_lossy(&trial.message.body),
        "status": status,
        "milliseconds": trial.duration_ms,
        "error": error,
        "answer": answer,
        "success": trial.succeeded(),
    })
}

pub(super) fn trial_text(trial: &Trial) -> String {
    match &trial.outcome {
        Ok(reply) => {
            let head = format!("{} in {} ms", reply.status, trial.duration_ms);
            if reply.answer.is_empty() { head } else { format!("{head}\n{}", indented(&reply.answer)) }
        }
        Err(error) => format!("no answer in {} ms: {error}", trial.duration_ms),
    }
}

fn result_of(attempt: &Attempt) -> String {
    match (&attempt.status, &attempt.error) {
        (Some(status), _) => status.to_string(),
        (None, Some(error)) => error.clone(),
        (None, None) => "no answer".into(),
    }
}

fn next_of(delivery: &Delivery) -> Option<Millis> {
    match delivery.status {
        DeliveryStatus::Pending => Some(delivery.next_attempt_at),
        DeliveryStatus::Delivered | DeliveryStatus::Failed => None,
    }
}

fn next_text(delivery: &Delivery, now: Millis) -> String {
    match next_of(delivery) {
        None => String::new(),
        Some(_) if delivery.lease_until.is_some_and(|until| until > now) => "being sent".into(),
        Some(at) if at <= now => "now".into(),
        Some(at) => moment(at),
    }
}

fn moment(at: Millis) -> String {
    at.timestamp().to_rfc3339()
}

/// A receiver's words, apart from ours; control characters would speak to the terminal.
fn indented(text: &str) -> String {
    let plain = |letter: char| if letter.is_control() && letter != '\n' { ' ' } else { letter };
    text.lines()
        .map(|line| format!("    {}", line.chars().map(plain).collect::<String>()))
        .collect::<Vec<_>>()
        .join("\n")
}
