//! Checks that many tests make: of a finished job, and of a project's account.

pub mod balances;
pub mod finished_job;
