//! A worker next to a server: the same data folder and settings, but `--role worker`.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use serde_json::Value;

use super::Server;
use crate::http::Client;
use crate::waiting::eventually;

/// A running worker; killed when dropped.
pub struct Worker {
    child: Child,
    address_file: PathBuf,
    address: String,
}

impl Server {
    /// Starts a worker on this server's data and waits until it listens.
    pub async fn worker(&self) -> Worker {
        let mut command = self.command();
        command.args(["serve", "--role", "worker", "--listen", "127.0.0.1:0", "--data"]);
        command.arg(self.data());
        command.stdin(Stdio::null()).stdout(self.log_file()).stderr(self.log_file());
        let child = command.spawn().expect("the program starts");
        let pid = child.id();
        let address_file = self.data().join("worker.json");
        let address =
            eventually("the worker to listen", || async { address_of(&fs::read(&address_file).ok()?, pid) })
                .await;
        Worker { child, address_file, address }
    }
}

impl Worker {
    /// The same caller, but with the worker's address.
    pub fn reached_by(&self, client: &Client) -> Client {
        client.at(&format!("http://{}", self.address))
    }

    /// The file with the address that it listens on.
    pub fn address_file(&self) -> &PathBuf {
        &self.address_file
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Errors mean that the process has already ended; the test notices that elsewhere.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn address_of(file: &[u8], pid: u32) -> Option<String> {
    let file: Value = serde_json::from_slice(file).ok()?;
    (file["pid"] == pid).then(|| file["address"].as_str().map(str::to_owned))?
}
