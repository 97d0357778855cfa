//! The list of all examples: which have a stored form, and which are only sent and received.

use std::collections::BTreeSet;

use auris_domain::job::Progress;
use auris_domain::metadata::Metadata;
use auris_domain::model::Capability;
use auris_domain::step::Failure;
use auris_domain::transcript::{SourceTranscript, Transcript};
use auris_domain::usage::Usage;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::specs::{assert_stage_round_trip, assert_task_round_trip, assert_task_round_trip_with};
use super::{assert_round_trip, examples_folder, outputs};

/// Reads the stored form of an example and checks that it is written unchanged.
type RoundTrip = fn(&str);

fn round_trip<T: DeserializeOwned + Serialize>(name: &str) {
    let _ = assert_round_trip::<T>(name);
}

/// The examples of what the database contains, beside the outputs of steps.
const STORED: [(&str, RoundTrip); 15] = [
    ("DiarizationStage", |name| assert_stage_round_trip(Capability::Diarization, name)),
    ("EntitiesStage", |name| assert_stage_round_trip(Capability::Entities, name)),
    ("JobError", round_trip::<Failure>),
    ("JsonSchemaFormat", |name| assert_task_round_trip_with("/text/format", name)),
    ("Metadata", round_trip::<Metadata>),
    ("Progress", round_trip::<Progress>),
    ("Reasoning", |name| assert_task_round_trip_with("/reasoning", name)),
    ("SentimentStage", |name| assert_stage_round_trip(Capability::Sentiment, name)),
    ("SummaryStage", |name| assert_stage_round_trip(Capability::Summary, name)),
    ("Task", assert_task_round_trip),
    ("TaskText", |name| assert_task_round_trip_with("/text", name)),
    ("TextFormat", |name| assert_task_round_trip_with("/text/format", name)),
    ("Transcript", round_trip::<Transcript>),
    // It is stored with empty lists for those that are missing; another test checks that.
    ("TranscriptInput", |name| drop(SourceTranscript::from_json(&super::example(name)).unwrap())),
    ("Usage", round_trip::<Usage>),
];

/// The examples of requests and answers, of parts of documents, and of plain values.
const NOT_STORED: [&str; 55] = [
    "AnalysisRequest",
    "Artifact",
    "ArtifactId",
    "ArtifactPurpose",
    "Capability",
    "Decimal",
    "Deleted",
    "Error",
    "ErrorCode",
    "ErrorDetail",
    "ErrorType",
    "EventId",
    "IdempotencyKey",
    "Job",
    "JobEvent",
    "JobEventMessage",
    "JobEventType",
    "JobId",
    "JobList",
    "JobStep",
    "JobStepList",
    "JobWebhook",
    "Model",
    "ModelCapability",
    "ModelList",
    "ModelName",
    "Overflow",
    "Processing",
    "RecognisedSegment",
    "Result",
    "ResultArtifact",
    "ResultError",
    "Segment",
    "SourceReference",
    "Stage",
    "StepErrorCode",
    "StepId",
    "StepKey",
    "TaskDelta",
    "Timestamp",
    "TranscriptItemInput",
    "TranscriptMessage",
    "TranscriptTextDelta",
    "TranscriptTextDone",
    "TranscriptTextSegment",
    "Transcription",
    "TranscriptionRequest",
    "TranscriptionUsage",
    "Usd",
    "Utterance",
    "WebhookEndpoint",
    "WebhookEndpointId",
    "WebhookEndpointList",
    "WebhookEndpointRequest",
    "Word",
];

fn listed() -> BTreeSet<String> {
    let stored = STORED.iter().map(|(name, _)| *name);
    let outputs = outputs::OUTPUTS.iter().map(|(_, name, _)| *name);
    stored.chain(outputs).chain(NOT_STORED).map(str::to_owned).collect()
}

#[test]
fn every_example_is_listed_as_stored_or_not() {
    let files = std::fs::read_dir(examples_folder()).unwrap().map(|file| file.unwrap().path());
    let names = files.map(|file| file.file_stem().unwrap().to_string_lossy().into_owned());
    assert_eq!(names.collect::<BTreeSet<_>>(), listed());
}

#[test]
fn every_stored_example_is_read_and_written_unchanged() {
    for (name, round_trip) in STORED {
        round_trip(name);
    }
}
