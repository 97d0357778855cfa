//! A worker beside a server: the same data folder and settings, but `--role worker`.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use serde_json::Value;

use super::Server;
use crate::{Client, eventually};

/// A running worker; killed when dropped.
pub struct Worker {
    child: Child,
    told: PathBuf,
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
        let (pid, told) = (child.id(), self.data().join("worker.json"));
        let address =
            eventually("the worker to listen", || async { address_of(&fs::read(&told).ok()?, pid) }).await;
        Worker { child, told, address }
    }
}

impl Worker {
    /// A caller at the worker's address, with the key of another.
    pub fn reached_by(&self, client: &Client) -> Client {
        client.at(&format!("http://{}", self.address))
    }

    /// The file that says where it listens.
    pub fn told(&self) -> &PathBuf {
        &self.told
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended by itself, which its test sees elsewhere.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn address_of(told: &[u8], pid: u32) -> Option<String> {
    let told: Value = serde_json::from_slice(told).ok()?;
    (told["pid"] == pid).then(|| told["address"].as_str().map(str::to_owned))?
}
