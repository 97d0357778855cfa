//! The whole service from outside: real servers on real databases, called over HTTP and the command line.
//!
//! One test binary, because each one links everything that the harness needs.
#![expect(clippy::expect_used, reason = "in a test a broken expectation is a failed test")]

mod cli;
mod clients;
mod cluster;
mod console;
mod contract;
mod crash;
mod flows;
mod load;
mod storage;
mod upgrade;
mod webhooks;
