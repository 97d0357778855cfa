//! A file in the data folder that tells scripts where a process listens, while it does.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::cli::Role;

/// Lit until dropped.
pub(super) struct Beacon(PathBuf);

impl Beacon {
    pub(super) fn light(data: &Path, role: Role, address: &str) -> anyhow::Result<Self> {
        let path = data.join(name(role));
        let file = tempfile::NamedTempFile::new_in(data)?;
        serde_json::to_writer(&file, &json!({"address": address, "pid": std::process::id()}))?;
        file.persist(&path)?;
        Ok(Self(path))
    }
}

/// A worker beside a server on the same folder does not pass for it.
fn name(role: Role) -> &'static str {
    match role {
        Role::All | Role::Api => "serve.json",
        Role::Worker => "worker.json",
    }
}

impl Drop for Beacon {
    fn drop(&mut self) {
        // A stale file is replaced by the next start.
        let _ = fs::remove_file(&self.0);
    }
}
