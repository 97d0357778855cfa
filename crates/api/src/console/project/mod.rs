//! What a visitor does in a project beyond the operations of `/v1`.

mod account;
mod jobs;
mod recording;
mod transcriptions;

pub(super) use account::account;
pub(super) use jobs::{analyses, artifacts, peaks, set_speakers, speakers};
pub(super) use recording::{artifact_content, recording};
pub(super) use transcriptions::transcribe;
