//! `kill -9`, at planned places and at random: what was accepted ends, and nothing is counted twice.
#![expect(clippy::expect_used, reason = "in a test a broken expectation is a failed test")]

mod planned;
mod random;
mod workload;
