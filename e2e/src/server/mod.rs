//! A real server in a process of its own, with its data in a folder of its own.

mod observed;
mod worker;

use std::fs::{self, File, OpenOptions};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::binary::auris_binary;
use crate::blobs::Blobs;
use crate::database::Database;
use crate::settings::{CATALOG, MASTER_KEY};
use crate::{Client, DatabaseKind, ObjectStore, assets, eventually, eventually_within};

/// How a server is to be started.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    database: DatabaseKind,
    settings: Vec<(String, String)>,
}

/// A server, running or not; its data stays until it is dropped.
pub struct Server {
    options: ServerOptions,
    home: TempDir,
    database: Arc<Database>,
    blobs: Blobs,
    child: Option<Child>,
    address: String,
    issued_keys: Mutex<Vec<String>>,
}

impl ServerOptions {
    pub fn new(database: DatabaseKind) -> Self {
        let settings = vec![
            ("AURIS_MODELS__FAKE".to_owned(), "true".to_owned()),
            // Every stage is served by a fake model, whatever the built-in catalogue has.
            (CATALOG.to_owned(), concat!(env!("CARGO_MANIFEST_DIR"), "/catalog.toml").to_owned()),
            ("AURIS_MODELS__PULL".to_owned(), "false".to_owned()),
            // The tests are many requests of one key; the limit has a test of its own.
            ("AURIS_RATE_LIMITS__REQUESTS_PER_MINUTE".to_owned(), "1000000".to_owned()),
            // Tests invent webhook addresses; only those that have a receiver deliver.
            ("AURIS_WEBHOOKS__DELIVER".to_owned(), "false".to_owned()),
        ];
        Self { database, settings }
    }

    /// The built-in catalogue and its defaults, the fake models beside it; what was fetched for the tests is a mirror.
    #[must_use]
    pub fn with_real_models(self) -> Self {
        self.with(CATALOG, "").with("AURIS_MODELS__MIRROR", assets().display())
    }

    /// Sets a setting by its environment name.
    #[must_use]
    pub fn with(mut self, variable: &str, value: impl ToString) -> Self {
        self.settings.retain(|(name, _)| name != variable);
        self.settings.push((variable.to_owned(), value.to_string()));
        self
    }

    pub async fn start(self) -> Server {
        let mut server = self.prepare();
        server.restart().await;
        server
    }

    /// Everything but the process.
    pub fn prepare(self) -> Server {
        let (database, blobs) = (Database::create(self.database), Blobs::create(self.database));
        self.prepare_on(Arc::new(database), blobs)
    }

    /// The same on a database and an object store of the test's own.
    pub fn prepare_beside(self, database_url: String, store: ObjectStore) -> Server {
        self.prepare_on(Arc::new(Database::Shared { url: database_url }), Blobs::in_bucket(store))
    }

    fn prepare_on(self, database: Arc<Database>, blobs: Blobs) -> Server {
        let home = tempfile::Builder::new().prefix("auris-e2e-").tempdir();
        Server {
            database,
            blobs,
            options: self,
            home: home.expect("a temporary folder"),
            child: None,
            address: String::new(),
            issued_keys: Mutex::default(),
        }
    }
}

impl Server {
    pub async fn start(database: DatabaseKind) -> Self {
        ServerOptions::new(database).start().await
    }

    /// Another node, not started yet: on the same database, blobs and master key, with a data folder of its own.
    pub fn unstarted_node(&self) -> Self {
        assert!(self.database.url().is_some(), "nodes share a server, not a file");
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

    /// Starts the process again on the same data and waits until it listens.
    pub async fn restart(&mut self) {
        self.spawn();
        let listening = self.listening().await;
        assert!(listening, "the server stopped while it started:\n{}", self.log());
    }

    /// Starts the process and does not wait.
    pub fn spawn(&mut self) {
        assert!(self.child.is_none(), "it runs already");
        let mut command = self.command();
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]);
        command.arg(self.data());
        command.stdin(Stdio::null());
        command.stdout(self.log_file()).stderr(self.log_file());
        self.child = Some(command.spawn().expect("the program starts"));
    }

    /// Waits until the process listens; false if it ended first.
    pub async fn listening(&mut self) -> bool {
        let started = std::time::Instant::now();
        let mut looks = tokio::time::interval(Duration::from_millis(5));
        loop {
            looks.tick().await;
            if let Some(address) = self.address_of(self.pid()) {
                self.address = address;
                return true;
            }
            if self.child_mut().try_wait().expect("a child").is_some() {
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
            child.kill().expect("our own child");
            child.wait().expect("our own child");
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
        assert!(status.expect("kill is there").success());
    }

    /// Waits until the process has ended by itself.
    pub async fn exited(&mut self) -> ExitStatus {
        let child = Mutex::new(self.child_mut());
        let look = || async { child.lock().ok()?.try_wait().ok()? };
        let status = eventually_within(Duration::from_secs(90), "the server to stop", look).await;
        self.child = None;
        status
    }

    /// A further node on this server's database, master key and blobs; this server must outlive it.
    pub async fn node(&self) -> Self {
        let mut node = self.unstarted_node();
        node.restart().await;
        node
    }

    pub fn is_running(&mut self) -> bool {
        match &mut self.child {
            Some(child) => child.try_wait().expect("a child").is_none(),
            None => false,
        }
    }

    /// A caller of project `default`.
    pub fn client(&self) -> Client {
        self.client_with(&["--project", "default"])
    }

    /// A caller with a key made by `auris keys create` and these further words.
    pub fn client_with(&self, words: &[&str]) -> Client {
        let mut line = vec!["keys", "create"];
        line.extend(words);
        let key = self.auris(&line).trim().to_owned();
        self.issued_keys.lock().expect("no holder panics").push(key.clone());
        Client::new(self.base(), Some(key))
    }

    /// The same key against the address of the latest start.
    pub fn reconnect(&self, client: &Client) -> Client {
        Client::new(self.base(), Some(client.key().to_owned()))
    }

    /// A caller of another, new project.
    pub fn stranger(&self, project: &str) -> Client {
        self.auris(&["projects", "create", project]);
        self.client_with(&["--project", project])
    }

    /// Runs the command line on this server's data; panics with its message where it fails.
    pub fn auris(&self, words: &[&str]) -> String {
        let output = self.try_auris(words);
        assert!(
            output.status.success(),
            "auris {}: {}",
            words.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).expect("standard output is UTF-8")
    }

    pub fn try_auris(&self, words: &[&str]) -> std::process::Output {
        let mut command = self.command();
        command.args(words).arg("--data").arg(self.data());
        // A planned crash is the server's, not that of a command beside it.
        command.env_remove("AURIS_CRASH_AT");
        command.stdin(Stdio::null()).output().expect("the program starts")
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
        self.child.as_ref().expect("the server runs").id()
    }

    /// Waits until a job of the client is in a terminal state, and answers the job.
    pub async fn finished(&self, client: &Client, job: &str) -> Value {
        eventually(&format!("job {job} to end"), || async {
            let path = format!("/v1/jobs/{job}");
            let job = client.get(&path).send().await.expect_status(200).json();
            let ended = ["completed", "failed", "cancelled"].map(|status| job["status"] == status);
            ended.contains(&true).then_some(job)
        })
        .await
    }

    fn command(&self) -> Command {
        let mut command = Command::new(auris_binary());
        // Nothing of the caller's own service may slip in.
        let is_foreign = |name: &str| name.starts_with("AURIS_") || name.starts_with("AWS_");
        let foreign = std::env::vars_os().filter(|(name, _)| is_foreign(&name.to_string_lossy()));
        for (name, _) in foreign {
            command.env_remove(name);
        }
        command.env("AURIS_MODELS__DIR", self.home.path().join("models"));
        command.envs(self.blobs.environment());
        if let Some(url) = self.database.url() {
            command.env("AURIS_DATABASE__URL", url);
        }
        for (name, value) in &self.options.settings {
            command.env(name, value);
        }
        command.env("NO_COLOR", "1").env("TMPDIR", self.home.path());
        command
    }

    fn child_mut(&mut self) -> &mut Child {
        self.child.as_mut().expect("the server runs")
    }

    // A killed server leaves its file behind, so the process number has to be this one's.
    fn address_of(&self, pid: u32) -> Option<String> {
        let text = fs::read_to_string(self.data().join("serve.json")).ok()?;
        let told: Value = serde_json::from_str(&text).ok()?;
        (told["pid"] == pid).then(|| told["address"].as_str().map(str::to_owned))?
    }

    fn log_path(&self) -> PathBuf {
        self.home.path().join("server.log")
    }

    fn log_file(&self) -> File {
        let file = OpenOptions::new().create(true).append(true).open(self.log_path());
        file.expect("a log file in our own folder")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let errors = self.log_errors();
        if std::thread::panicking() || !errors.is_empty() {
            eprintln!("--- the end of the server's log ---\n{}", observed::tail(&self.log(), 80));
        }
        assert!(errors.is_empty() || std::thread::panicking(), "{errors:?}");
    }
}
