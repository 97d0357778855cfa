//! Requests: JSON, form fields, headers and queries are checked here once and become types.

mod all_jobs;
pub mod analysis;
mod body_index;
mod check;
pub mod console;
mod defaults;
pub mod endpoint;
pub mod fingerprint;
mod follow_up;
pub mod headers;
pub mod json;
pub mod page;
pub mod pointer;
pub mod processing;
mod read;
mod requested_step;
pub mod schema;
mod signed_address;
mod sorted_fields;
mod speaker_names;
mod task;
#[cfg(test)]
mod tests;
mod transcript;
pub mod transcription;
mod webhook_url;

pub use all_jobs::AllJobsQuery;
pub use analysis::AnalysisRequest;
pub use endpoint::EndpointRequest;
pub use follow_up::FollowUpRequest;
pub use page::Page;
pub use processing::Processing;
pub use requested_step::RequestedStep;
pub use signed_address::SignedAddress;
pub use speaker_names::SpeakerNamesRequest;
pub use transcription::{ResponseFormat, TranscriptionFields, TranscriptionRequest};
