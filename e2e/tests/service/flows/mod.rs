//! What users do over HTTP, from the first request to the result.

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
mod service_pages;
mod task_graphs;
mod tenancy;
mod transcription;
