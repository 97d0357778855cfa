//! The server is killed at planned places and at random moments: no accepted job is lost, and nothing happens twice.

mod planned;
mod random;
mod workload;
