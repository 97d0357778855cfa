//! A real server in a separate process, with its data in a temporary folder.

mod binary;
mod blobs;
mod command_line;
mod copied_data;
mod database;
mod fault_layer;
mod observation;
mod options;
pub mod settings;
mod worker;

use std::fs::{self, File, OpenOptions};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::http::Client;
use crate::waiting::{eventually, eventually_within};
use blobs::Blobs;
use database::Database;
use settings::MASTER_KEY;

pub use binary::auris_binary;
pub use blobs::ObjectStore;
pub use database::DatabaseKind;
pub use fault_layer::{FaultReport, FileFault};
pub use options::ServerOptions;

/// A server, running or not. Its data is kept until it is dropped.
pub struct Server {
    options: ServerOptions,
    home: TempDir,
    database: Arc<Database>,
    blobs: Blobs,
    child: Option<Child>,
    address: String,
    /// Whether the next start uses the address of the last one.
    keeps_address: bool,
    issued_keys: Mutex<Vec<String>>,
}

impl Server {
    pub async fn start(database: DatabaseKind) -> Self {
        ServerOptions::new(database).start().await
    }

    /// Another node that is not started yet: same database, blobs and master key, but a separate data folder.
    pub fn unstarted_node(&self) -> Self {
        assert!(self.database.url().is_some(), "nodes can only share PostgreSQL");
        let key = fs::read_to_string(self.data().join("master.key")).expect("the first node has run");
        let options = self.options.clone().with(MASTER_KEY, key.lines().next().unwrap_or_default());
        options.prepare_on(Arc::clone(&self.database), self.blobs.clone())
    }

    /// Changes a setting for the next start.
    pub fn set(&mut self, variable: &str, value: &str) {
        self.options = self.options.clone().with(variable, value);
    }

    pub fn unset(&mut self, variable: &str) {
        self.options.settings.retain(|(name, _)| name != variable);
    }

    /// Makes later starts use the address of this one, so that a browser finds the server again.
    pub fn keep_address(&mut self) {
        self.keeps_address = true;
    }

    /// Starts the process again on the same data and waits until it listens.
    pub async fn restart(&mut self) {
        self.spawn();
        let listening = self.listening().await;
        assert!(listening, "the server stopped while it started:\n{}", self.log());
    }

    /// Starts the process without waiting for it.
    pub fn spawn(&mut self) {
        assert!(self.child.is_none(), "the server is already running");
        let mut command = self.command();
        let listen = if self.keeps_address { self.address.as_str() } else { "127.0.0.1:0" };
        command.args(["serve", "--listen", listen, "--data"]);
        command.arg(self.data());
        command.stdin(Stdio::null()).stdout(self.log_file()).stderr(self.log_file());
        self.child = Some(command.spawn().expect("the program starts"));
    }

    /// Waits until the process listens; false if it ended first.
    pub async fn listening(&mut self) -> bool {
        let started = std::time::Instant::now();
        let mut checks = tokio::time::interval(Duration::from_millis(5));
        loop {
            checks.tick().await;
            if let Some(address) = self.address_of(self.pid()) {
                self.address = address;
                return true;
            }
            if self.child_mut().try_wait().expect("the server is our child process").is_some() {
                self.child = None;
                return false;
            }
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "no serve.json after a minute:\n{}",
                self.log()
            );
        }
    }

    /// Kills the process with SIGKILL, as a power cut would.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("the server is our child process");
            child.wait().expect("the server is our child process");
        }
    }

    /// Asks the process to stop, with SIGTERM, and waits until it has.
    pub async fn terminate(&mut self) -> ExitStatus {
        self.signal("TERM");
        self.exited().await
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let pid = self.pid().to_string();
        let status = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(status.expect("the `kill` command exists").success());
    }

    /// Waits until the process has ended without being killed.
    pub async fn exited(&mut self) -> ExitStatus {
        let child = Mutex::new(self.child_mut());
        let status = || async { child.lock().ok()?.try_wait().ok()? };
        let status = eventually_within(Duration::from_secs(90), "the server to stop", status).await;
        self.child = None;
        status
    }

    /// A started node on this server's database, master key and blobs. This server must outlive it.
    pub async fn node(&self) -> Self {
        let mut node = self.unstarted_node();
        node.restart().await;
        node
    }

    pub fn is_running(&mut self) -> bool {
        match &mut self.child {
            Some(child) => child.try_wait().expect("the server is our child process").is_none(),
            None => false,
        }
    }

    pub fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    pub fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    pub fn pid(&self) -> u32 {
        self.child.as_ref().expect("the server is running").id()
    }

    /// Waits until a job of the client is in a terminal state, and returns the job.
    pub async fn finished(&self, client: &Client, job: &str) -> Value {
        eventually(&format!("job {job} to end"), || async {
            let path = format!("/v1/jobs/{job}");
            let job = client.get(&path).send().await.expect_status(200).json();
            let ended = ["completed", "failed", "cancelled"].map(|status| job["status"] == status);
            ended.contains(&true).then_some(job)
        })
        .await
    }

    fn child_mut(&mut self) -> &mut Child {
        self.child.as_mut().expect("the server is running")
    }

    // A killed server leaves its address file behind, so the process id in it has to be this one's.
    fn address_of(&self, pid: u32) -> Option<String> {
        let text = fs::read_to_string(self.data().join("serve.json")).ok()?;
        let file: Value = serde_json::from_str(&text).ok()?;
        (file["pid"] == pid).then(|| file["address"].as_str().map(str::to_owned))?
    }

    fn log_path(&self) -> PathBuf {
        self.home.path().join("server.log")
    }

    fn log_file(&self) -> File {
        let file = OpenOptions::new().create(true).append(true).open(self.log_path());
        file.expect("the temporary folder is writable")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let errors = self.log_errors();
        if std::thread::panicking() || !errors.is_empty() {
            eprintln!("--- end of the server's log ---\n{}", observation::tail(&self.log(), 80));
        }
        assert!(errors.is_empty() || std::thread::panicking(), "{errors:?}");
    }
}
