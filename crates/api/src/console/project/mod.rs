//! What a visitor does in a project beyond the operations of `/v1`.

mod account;
mod jobs;
mod models;
mod recording;
mod transcriptions;

pub(super) use account::account;
pub(super) use jobs::{analyses, analysis_steps, artifacts, filtered_jobs, peaks, set_speakers, speakers};
pub(super) use models::models;
pub(super) use recording::{artifact_content, recording};
pub(super) use transcriptions::transcribe;
