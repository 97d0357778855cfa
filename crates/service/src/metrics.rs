//! What the loops count for `/metrics`.

/// One finished step, by what it did and how it ended.
pub(crate) fn step_ended(operation: &'static str, outcome: &'static str, seconds: f64) {
    metrics::counter!("auris_steps_total", "operation" => operation, "outcome" => outcome).increment(1);
    metrics::histogram!("auris_step_seconds", "operation" => operation).record(seconds);
}

/// Steps that this process runs now.
pub(crate) fn steps_running(count: usize) {
    metrics::gauge!("auris_steps_running").set(count as f64);
}

/// Audio that was transcribed here.
pub(crate) fn audio_transcribed(seconds: u64) {
    metrics::counter!("auris_audio_seconds_total").increment(seconds);
}

/// One try of a webhook delivery, by what it came to.
pub(crate) fn webhook_sent(outcome: &'static str, seconds: f64) {
    metrics::counter!("auris_webhook_deliveries_total", "outcome" => outcome).increment(1);
    metrics::histogram!("auris_webhook_delivery_seconds").record(seconds);
}
