//! Webhooks as the service delivers them: real connections, and a clock that the tests move.

mod addresses;
mod fairness;
mod faults;
mod receiver;
mod rotation;
mod schedule;
