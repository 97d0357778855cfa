//! The rules of Auris: ids, money, requests, plans, the state machine, results and their JSON.
//!
//! No files, no network, no async. Three things still reach outside: `time::Clock` reads the system clock, ids and keys
//! use the system's random numbers, and `request::schema` starts a thread with a stack of 128 MiB for each check of a
//! JSON schema, because the library that does the check is recursive.

pub mod artifact;
pub mod error;
pub mod event;
pub mod id;
pub mod job;
mod json_length;
mod json_text;
pub mod limits;
pub mod machine;
pub mod metadata;
pub mod model;
pub mod model_task;
pub mod money;
pub mod node;
pub mod plan;
pub mod project;
mod raw_json;
pub mod request;
pub mod result;
pub mod secret;
pub mod session;
pub mod step;
pub mod time;
pub mod transcript;
pub mod usage;
pub mod webhook;
pub mod wire;
