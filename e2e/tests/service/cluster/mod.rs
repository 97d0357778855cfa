//! Several nodes that share a database and a bucket: upgrades, outages, and the move from one machine to many.

mod doctor;
mod export_import;
mod outages;
mod pooler;
mod random_failures;
mod readiness;
mod roles;
mod rolling;
mod shared_values;
mod workload;
