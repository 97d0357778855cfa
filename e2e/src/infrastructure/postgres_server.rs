//! A PostgreSQL server that a test can kill. Commits wait for the write-ahead log, so no confirmed commit is lost.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use super::process::{Process, as_user, free_ports, user};
use crate::waiting::eventually_within;

const START: Duration = Duration::from_secs(120);

pub struct PostgresServer {
    home: TempDir,
    port: u16,
    process: Option<Process>,
}

impl PostgresServer {
    pub async fn start() -> Self {
        let home = tempfile::Builder::new().prefix("auris-pg-").tempdir().expect("a temporary folder");
        // The server runs as another user, who has to reach the data folder.
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o711))
            .expect("the temporary folder is writable");
        let mut postgres = Self { home, port: free_ports(1)[0], process: None };
        postgres.initialise();
        postgres.restart().await;
        postgres
    }

    /// Kills the server; all connections to it break.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// Starts the server on the same data, again and again until the processes of the killed one are gone.
    pub async fn restart(&mut self) {
        self.process = None;
        self.process = Some(self.spawn());
        let port = self.port;
        let this = std::sync::Mutex::new(self);
        eventually_within(START, "PostgreSQL to answer", || async {
            let mut this = this.lock().ok()?;
            if this.process.as_mut().is_none_or(Process::has_ended) {
                this.process = Some(this.spawn());
            }
            let ready =
                Command::new("pg_isready").args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()]).status();
            ready.is_ok_and(|status| status.success()).then_some(())
        })
        .await;
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The URL of the database at another address, such as that of a proxy.
    pub fn url(&self, address: &str) -> String {
        format!("postgres://auris@{address}/postgres")
    }

    /// The result of a query, one line for each row.
    pub fn query(&self, statement: &str) -> Vec<String> {
        let url = self.url(&self.address());
        let output =
            Command::new("psql").args(["-X", "-q", "-A", "-t", "-d", &url, "-c", statement]).output();
        let output = output.expect("psql is installed with PostgreSQL");
        assert!(output.status.success(), "{statement}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    }

    fn initialise(&self) {
        let data = self.data();
        fs::create_dir(&data).expect("the temporary folder is writable");
        if let Some(user) = user() {
            let owned = Command::new("chown").arg(user).arg(&data).status();
            assert!(
                owned.is_ok_and(|status| status.success()),
                "cannot change the owner of the folder to `{user}`"
            );
        }
        let output = as_user("initdb")
            .args([
                "--username",
                "auris",
                "--auth",
                "trust",
                "--encoding",
                "UTF8",
                "--locale",
                "C",
                "--no-sync",
            ])
            .arg("--pgdata")
            .arg(&data)
            .current_dir("/")
            .output()
            .expect("initdb is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn spawn(&self) -> Process {
        let log = fs::OpenOptions::new().create(true).append(true).open(self.home.path().join("log"));
        let log = log.expect("the temporary folder is writable");
        let mut command = as_user("postgres");
        command.arg("-D").arg(self.data()).arg("-k").arg(self.data());
        command.args(["-p", &self.port.to_string(), "-c", "listen_addresses=127.0.0.1"]);
        // What a killed process has written stays in the kernel, so fsync is not needed. The write to the log is.
        command.args(["-c", "fsync=off", "-c", "synchronous_commit=on", "-c", "max_connections=200"]);
        command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        Process::start(&mut command)
    }

    fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }
}
