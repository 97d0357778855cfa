//! The JSON of the API, one file for each object.
//!
//! Responses, stored events and stored responses for idempotency keys are all written here, so that they agree.

mod artifact;
mod endpoint;
mod error;
mod event;
mod job;
mod list;
mod model;
mod recording;
mod step;
mod transcription;

pub use crate::json_text::JsonText;
pub use artifact::artifact;
pub use endpoint::{delivery, endpoint, test_message};
pub use error::error;
pub use event::{EventContent, TaskDelta, event};
pub use job::{job, job_in_state, job_without_content};
pub use list::{
    artifact_list_of_jobs, endpoint_list, job_list, job_list_of_projects, light_step_list, model_list,
    step_list,
};
pub use recording::{RecordingAnalysis, attempt_list, peaks, recording_analyses, speaker_names};
pub use step::{step, step_with_content};
pub use transcription::{StreamMessage, transcription};
