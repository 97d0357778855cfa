//! The metrics that the loops record for `/metrics`.

/// Counts a finished step by its operation and outcome.
pub(crate) fn step_ended(operation: &'static str, outcome: &'static str, seconds: f64) {
    metrics::counter!("auris_steps_total", "operation" => operation, "outcome" => outcome).increment(1);
    metrics::histogram!("auris_step_seconds", "operation" => operation).record(seconds);
}

/// Sets the number of steps that this process runs.
pub(crate) fn steps_running(count: usize) {
    metrics::gauge!("auris_steps_running").set(count as f64);
}

/// Counts seconds of transcribed audio.
pub(crate) fn audio_transcribed(seconds: u64) {
    metrics::counter!("auris_audio_seconds_total").increment(seconds);
}

/// Counts an attempt of a webhook delivery by its outcome.
pub(crate) fn webhook_sent(outcome: &'static str, seconds: f64) {
    metrics::counter!("auris_webhook_deliveries_total", "outcome" => outcome).increment(1);
    metrics::histogram!("auris_webhook_delivery_seconds").record(seconds);
}
