//! Requests: raw JSON, form fields, headers and queries become checked types here, once.

pub mod analysis;
mod check;
pub mod endpoint;
pub mod fingerprint;
pub mod headers;
pub mod json;
pub mod page;
pub mod processing;
mod read;
pub mod schema;
pub mod task;
#[cfg(test)]
mod tests;
pub mod transcript;
pub mod transcription;
mod webhook_url;

pub use analysis::AnalysisRequest;
pub use endpoint::EndpointRequest;
pub use page::Page;
pub use processing::Processing;
pub use task::Task;
pub use transcript::GivenTranscript;
pub use transcription::{ResponseFormat, TranscriptionFields, TranscriptionRequest};
