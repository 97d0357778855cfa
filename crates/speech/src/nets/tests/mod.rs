//! Tests of whole nets: small ones with random weights, and the published ones on a real recording.

mod batches;
mod cancellation_checks;
mod forks;
mod greedy;
mod random_net;
mod words;
