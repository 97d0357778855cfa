//! A file in the data folder that says where a process listens, for scripts and for `auris export`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::net::TcpStream;

use crate::cli::Role;

const SERVER_FILE: &str = "serve.json";
const WORKER_FILE: &str = "worker.json";
/// How long a process that listens may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Serialize, Deserialize)]
struct ListeningProcess {
    address: String,
    pid: u32,
}

/// The file; removed when dropped.
pub(super) struct AddressFile(PathBuf);

impl AddressFile {
    pub(super) fn write(data: &Path, role: Role, address: &str) -> anyhow::Result<Self> {
        let path = data.join(name(role));
        let file = tempfile::NamedTempFile::new_in(data)?;
        let process = ListeningProcess { address: address.to_owned(), pid: std::process::id() };
        serde_json::to_writer(&file, &process)?;
        file.persist(&path)?;
        Ok(Self(path))
    }
}

/// A worker has its own file, because a server may use the same folder.
fn name(role: Role) -> &'static str {
    match role {
        Role::All | Role::Api => SERVER_FILE,
        Role::Worker => WORKER_FILE,
    }
}

impl Drop for AddressFile {
    fn drop(&mut self) {
        // If it stays, the next start replaces it.
        let _ = fs::remove_file(&self.0);
    }
}

/// Where a server on this data folder listens; `None` if none accepts connections.
pub(crate) async fn running_address(data: &Path) -> Option<String> {
    let text = fs::read_to_string(data.join(SERVER_FILE)).ok()?;
    let process: ListeningProcess = serde_json::from_str(&text).ok()?;
    let connected = tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect(&process.address)).await;
    matches!(connected, Ok(Ok(_))).then_some(process.address)
}
