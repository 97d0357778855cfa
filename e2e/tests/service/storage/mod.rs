//! What protects stored data: whose blobs they are, damage, full disks, permissions, and what a crash leaves behind.

mod damage;
mod installation;
mod permissions;
mod readiness;
mod spool;

use std::path::PathBuf;

use auris_e2e::Server;

/// The paths or keys of all blobs of artifacts.
fn blobs(server: &Server) -> Vec<PathBuf> {
    let is_blob =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("art_"));
    server.files().into_iter().filter(is_blob).collect()
}
