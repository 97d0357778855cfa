//! The `auris` command line on a server's data, and API keys made with it.

use std::process::{Command, Stdio};

use super::Server;
use super::binary::auris_binary;
use crate::http::Client;

impl Server {
    /// A caller of project `default`.
    pub fn client(&self) -> Client {
        self.client_with(&["--project", "default"])
    }

    /// A caller with a key made by `auris keys create` with these additional arguments.
    pub fn client_with(&self, arguments: &[&str]) -> Client {
        let mut create = vec!["keys", "create"];
        create.extend(arguments);
        let key = self.auris(&create).trim().to_owned();
        self.issued_keys.lock().expect("no holder panics").push(key.clone());
        Client::new(self.base(), Some(key))
    }

    /// The same key against the address of the latest start.
    pub fn reconnect(&self, client: &Client) -> Client {
        Client::new(self.base(), Some(client.key().to_owned()))
    }

    /// A caller of another project, which is created.
    pub fn client_of_new_project(&self, project: &str) -> Client {
        self.auris(&["projects", "create", project]);
        self.client_with(&["--project", project])
    }

    /// The secret with which webhooks of the default project are signed.
    pub fn webhook_secret(&self) -> String {
        self.auris(&["webhooks", "secret"])
    }

    /// Runs an `auris` command on this server's data and returns its output; panics with its message if it fails.
    pub fn auris(&self, arguments: &[&str]) -> String {
        let output = self.try_auris(arguments);
        assert!(
            output.status.success(),
            "auris {}: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).expect("standard output is UTF-8")
    }

    pub fn try_auris(&self, arguments: &[&str]) -> std::process::Output {
        let mut command = self.command();
        command.args(arguments).arg("--data").arg(self.data());
        // A planned crash or fault is for the server, not for a command next to it.
        command.env_remove("AURIS_CRASH_AT").env_remove("LD_PRELOAD");
        command.stdin(Stdio::null()).output().expect("the program starts")
    }

    pub(super) fn command(&self) -> Command {
        let mut command = self.program();
        // Settings of the developer's own service must not reach this one.
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

    /// The program. A shell lowers its own limits if the test wants that, and becomes the program.
    fn program(&self) -> Command {
        let files = self.options.open_files.map(|limit| format!("ulimit -S -n {limit} && "));
        // The C library reserves 64 MiB for each of many threads, more on machines with more processors.
        let memory = |mebibytes| {
            format!("ulimit -v {} && export MALLOC_ARENA_MAX=2 && ", u64::from(mebibytes) * 1024_u64)
        };
        let memory = self.options.memory.map(memory);
        let limits: String = [files, memory].into_iter().flatten().collect();
        if limits.is_empty() {
            return Command::new(auris_binary());
        }
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{limits}exec \"$0\" \"$@\"")]).arg(auris_binary());
        command
    }
}
