//! Checks that many tests make: of a finished job, of a project's account, of leases, and of the files of a
//! stopped server.

pub mod balances;
pub mod data_folder;
pub mod finished_job;
pub mod leases;
