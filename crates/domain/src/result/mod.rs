//! The result of a job: the transcript, the outputs of the steps, the files and the errors.

mod document;
mod finished;
mod source_text;

pub use document::{DocumentTranscript, ResultDocument};
pub use finished::{FinishedJob, JobResult};
