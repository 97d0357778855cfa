//! The server is killed at planned places and at random moments, its files fail and its connections are cut: no accepted
//! job is lost, and nothing happens twice.

mod alone;
mod cut_connections;
mod fault_points;
mod faults;
mod job_life;
mod planned;
mod random;
mod workload;
