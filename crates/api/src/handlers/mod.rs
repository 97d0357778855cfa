//! One file per resource. A handler extracts its input, makes one service call and returns a view of the result.

pub(crate) mod analyses;
pub(crate) mod artifacts;
pub(crate) mod documentation;
pub(crate) mod endpoints;
pub(crate) mod events;
pub(crate) mod files;
pub(crate) mod health;
pub(crate) mod jobs;
pub(crate) mod models;
pub(crate) mod not_found;
pub(crate) mod steps;
pub(crate) mod transcriptions;
