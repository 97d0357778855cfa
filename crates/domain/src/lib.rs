//! What Auris decides: pure rules over ids, money, requests, plans and the state machine. No I/O, no async.

pub mod artifact;
pub mod error;
pub mod event;
pub mod id;
pub mod job;
pub mod limits;
pub mod machine;
pub mod metadata;
pub mod model;
pub mod money;
pub mod plan;
pub mod project;
pub mod request;
pub mod step;
pub mod time;
pub mod transcript;
pub mod usage;
pub mod webhook;
