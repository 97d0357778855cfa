//! Webhooks as the service delivers them: a real database, real connections, and a clock that the tests move.
#![expect(clippy::unwrap_used, reason = "in a test a broken expectation is a failed test")]

mod addresses;
mod fairness;
mod faults;
mod receiver;
mod rotation;
mod schedule;
mod test_service;
