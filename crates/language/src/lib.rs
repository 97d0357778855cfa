//! Stages and tasks with a language model: prompts, schemas, windows, and answers checked against the transcript.

pub mod answer_details;
mod answer_guards;
pub mod chat;
mod conversation;
mod language_model;
mod lines;
pub mod local;
mod prepared_transcript;
#[cfg(test)]
mod scripted_chat;
mod stages;
mod task;
mod task_bound;
mod transcript_lookup;
mod windows;

pub use language_model::LanguageModel;
