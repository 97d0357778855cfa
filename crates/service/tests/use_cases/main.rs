//! Use cases of the service on a real database.
#![expect(clippy::unwrap_used, reason = "in a test a broken expectation is a failed test")]

mod blob_owner;
mod console;
mod corrupt_rows;
mod held_analyses;
mod keys;
mod model_tasks;
mod overview;
mod sweeper;
mod test_node;
mod test_service;
mod unread_streams;
mod waiting;
mod webhooks;
mod worker;
