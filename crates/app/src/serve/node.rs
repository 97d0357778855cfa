//! This process as a node: who it is, and what the console shows of it.

use auris_domain::time::Clock;
use auris_service::operator::{BlobKind, NodeIdentity, OverviewSource, RecentErrors};

use super::Process;
use crate::cli::Role;

/// The identity of the node that starts now.
pub(super) fn identity(role: Role) -> NodeIdentity {
    let role = match role {
        Role::All => "all",
        Role::Api => "api",
        Role::Worker => "worker",
    };
    NodeIdentity::new(role, &Clock::System)
}

/// What the overview of the console shows.
pub(super) fn overview_source(process: &Process) -> OverviewSource {
    OverviewSource {
        node: process.node.clone(),
        data_dir: process.config.data.clone(),
        blobs: BlobKind::from(&process.config.blobs),
        errors: RecentErrors::of_process(),
    }
}
