//! This process as a node: who it is, and what the console shows of it.

use std::sync::Arc;

use auris_domain::time::Clock;
use auris_engines::{Engines, Installer};
use auris_service::operator::{BlobKind, NodeIdentity, OverviewSource, RecentErrors, ThisNode};

use super::Process;
use crate::cli::Role;
use crate::config::Config;

/// The node that starts now.
pub(super) fn this_node(config: &Config, role: Role, engines: &Arc<Engines>) -> ThisNode {
    let role = match role {
        Role::All => "all",
        Role::Api => "api",
        Role::Worker => "worker",
    };
    ThisNode {
        identity: NodeIdentity::new(role, &Clock::System),
        engines: Arc::clone(engines),
        installer: Installer::new(config.models.dir.clone(), config.models.mirror.clone()),
    }
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
