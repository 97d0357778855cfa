//! Columns of jobs and steps: errors, usage, progress and metadata.

use auris_domain::error::ErrorType;
use auris_domain::job::Progress;
use auris_domain::metadata::Metadata;
use auris_domain::step::Failure;
use auris_domain::usage::Usage;

use super::{assert_round_trip, example, example_without};

#[test]
fn a_failure_is_read_and_written_unchanged() {
    let failure: Failure = assert_round_trip("JobError");
    assert_eq!((failure.kind, failure.attempts), (ErrorType::ApiError, 1));
    assert_eq!(failure.step_key, "tasks/actions");
}

#[test]
fn a_failure_with_a_code_of_another_version_can_be_read() {
    let text = example("JobError").replace("schema_validation_failed", "added_later");
    let failure: Failure = serde_json::from_str(&text).unwrap();
    assert_eq!(failure.code, "added_later");
}

#[test]
fn an_incomplete_failure_is_an_error() {
    for field in ["message", "type", "code", "step_id", "step_key", "attempts"] {
        let text = example_without("JobError", field);
        assert!(serde_json::from_str::<Failure>(&text).is_err(), "without `{field}`");
    }
    let wrong_id = example("JobError").replace("stp_", "job_");
    assert!(serde_json::from_str::<Failure>(&wrong_id).is_err());
}

#[test]
fn usage_is_read_and_written_unchanged() {
    let usage: Usage = assert_round_trip("Usage");
    assert_eq!(usage.cost_usd.to_string(), "0.0004126");
}

#[test]
fn an_incomplete_usage_or_a_cost_that_is_a_number_is_an_error() {
    for field in ["audio_seconds", "input_tokens", "output_tokens", "characters", "cost_usd"] {
        let text = example_without("Usage", field);
        assert!(serde_json::from_str::<Usage>(&text).is_err(), "without `{field}`");
    }
    let number = example("Usage").replace("\"0.0004126\"", "0.0004126");
    assert!(serde_json::from_str::<Usage>(&number).is_err());
}

#[test]
fn progress_is_read_and_written_unchanged() {
    let progress: Progress = assert_round_trip("Progress");
    assert_eq!((progress.percent, progress.current_steps), (40, vec!["summary".to_owned()]));
}

#[test]
fn an_incomplete_or_impossible_progress_is_an_error() {
    for field in ["percent", "completed_steps", "total_steps", "current_steps"] {
        let text = example_without("Progress", field);
        assert!(serde_json::from_str::<Progress>(&text).is_err(), "without `{field}`");
    }
    let negative = example("Progress").replace("40", "-1");
    assert!(serde_json::from_str::<Progress>(&negative).is_err());
}

#[test]
fn metadata_is_read_and_written_unchanged() {
    let metadata: Metadata = assert_round_trip("Metadata");
    assert_eq!(metadata.0["customer"], "4711");
    for text in ["[]", "null", r#"{"customer": 4711}"#] {
        assert!(serde_json::from_str::<Metadata>(text).is_err(), "{text}");
    }
}
