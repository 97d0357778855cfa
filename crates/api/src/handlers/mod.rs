//! One file a resource: extract, one service call, view.

pub(crate) mod analyses;
pub(crate) mod artifacts;
pub(crate) mod documentation;
pub(crate) mod endpoints;
pub(crate) mod events;
pub(crate) mod files;
pub(crate) mod health;
pub(crate) mod jobs;
pub(crate) mod models;
pub(crate) mod steps;
pub(crate) mod transcriptions;
pub(crate) mod unknown;
