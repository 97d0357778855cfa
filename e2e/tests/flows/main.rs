//! What users do, from start to end, over HTTP.
#![expect(clippy::expect_used, reason = "in a test a broken expectation is a failed test")]

mod access;
mod analysis;
mod analysis_refusals;
mod artifacts;
mod balance;
mod built_in;
mod cancel;
mod catalogue;
mod content;
mod diarization;
mod drain;
mod endpoints;
mod events;
mod failure_policy;
mod heavy;
mod idempotency;
mod money;
mod pagination;
mod rate_limits;
mod retention;
mod second_signal;
mod surroundings;
mod task_graphs;
mod tenancy;
mod transcription;
