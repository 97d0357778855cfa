//! Webhook delivery over real connections, with a manual clock.

mod addresses;
mod fairness;
mod faults;
mod receiver;
mod rotation;
mod schedule;
