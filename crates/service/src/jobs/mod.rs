//! Jobs: submitted, read, moved forward by commands, and emptied of their content when it expires.

mod apply_command;
mod artifacts;
mod cancel_job;
mod check_follow_up;
mod delete_content;
mod events;
mod held_analysis;
mod job_result;
mod orphan_blobs;
mod plan_analysis;
mod read_jobs;
mod steady_clock;
mod step_inputs;
mod steps;
mod submit_analysis;
mod submit_job;
mod submit_transcription;
mod sweeper;

pub use artifacts::{Address, Content, file_name};
pub use events::WriteEvent;
pub use submit_transcription::Upload;
pub use sweeper::Sweeper;

pub(crate) use apply_command::{CompletedStep, Effect};
pub(crate) use orphan_blobs::CONFIRMATION;
pub(crate) use step_inputs::LocalAudio;
