//! More than one machine: nodes that share a database and a bucket, their upgrades, their disasters, and the way there.
#![expect(clippy::expect_used, reason = "in a test a broken expectation is a failed test")]

mod agreement;
mod chaos;
mod disasters;
mod doctor;
mod moving;
mod pooler;
mod readiness;
mod roles;
mod rolling;
mod workload;
