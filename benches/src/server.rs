//! The real server, in a process of its own, for as long as the value lives.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use crate::home::Home;

const PATIENCE: Duration = Duration::from_secs(60);

/// Which half of the service the process is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Role {
    /// HTTP alone, so that jobs stay queued.
    Api,
    All,
}

pub(crate) struct Server {
    child: Child,
    pub(crate) base: String,
}

impl Server {
    /// Starts on the data of `home` and waits until it listens.
    pub(crate) async fn start(home: &Home, role: Role) -> anyhow::Result<Self> {
        Self::start_with(home, role, &[]).await
    }

    /// The same with settings of its own, by their environment names.
    pub(crate) async fn start_with(
        home: &Home,
        role: Role,
        settings: &[(&str, String)],
    ) -> anyhow::Result<Self> {
        let role = match role {
            Role::Api => "api",
            Role::All => "all",
        };
        let log = home.folder().join(format!("server-{role}.log"));
        let output = File::create(&log)?;
        let mut command = command(home)?;
        command.envs(settings.iter().map(|(name, value)| (name, value)));
        command.args(["serve", "--listen", "127.0.0.1:0", "--role", role, "--data"]).arg(home.data());
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        let mut server = Self { child: command.spawn().context("cannot start auris")?, base: String::new() };
        server.base = server.listening(home).await.with_context(|| log_of(&log))?;
        Ok(server)
    }

    /// A number of kilobytes from `/proc/PID/status`, such as VmRSS or VmHWM, in bytes.
    pub(crate) fn memory(&self, field: &str) -> anyhow::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with(field));
        let number = line.and_then(|line| line.split_whitespace().nth(1)).context("no such number")?;
        Ok(number.parse::<u64>()? * 1024)
    }

    async fn listening(&mut self, home: &Home) -> anyhow::Result<String> {
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Some(address) = self.address(home) {
                return Ok(format!("http://{address}"));
            }
            ensure!(self.child.try_wait()?.is_none(), "the server stopped while it started");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        bail!("the server did not listen within {} seconds", PATIENCE.as_secs())
    }

    // A killed server leaves its file behind, so the process number has to be this one's.
    fn address(&self, home: &Home) -> Option<String> {
        let text = fs::read_to_string(home.data().join("serve.json")).ok()?;
        let told: Value = serde_json::from_str(&text).ok()?;
        (told["pid"] == self.child.id()).then(|| told["address"].as_str().map(str::to_owned))?
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already; either way it is gone afterwards.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Makes an API key of a project.
pub(crate) fn create_key(home: &Home, project: &str) -> anyhow::Result<String> {
    let mut command = command(home)?;
    let output =
        command.args(["keys", "create", "--project", project, "--data"]).arg(home.data()).output()?;
    ensure!(output.status.success(), "auris keys create: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// The program of the same build.
pub(crate) fn binary() -> anyhow::Result<PathBuf> {
    let folder =
        std::env::current_exe()?.parent().map(PathBuf::from).context("a program lies in a folder")?;
    let binary = folder.join("auris");
    ensure!(binary.is_file(), "`{}` is not built; scripts/bench builds it", binary.display());
    Ok(binary)
}

fn command(home: &Home) -> anyhow::Result<Command> {
    let mut command = Command::new(binary()?);
    // Nothing of the caller's own service may slip in.
    let foreign = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AURIS_"));
    for (name, _) in foreign {
        command.env_remove(name);
    }
    command
        .env("AURIS_MODELS__FAKE", "true")
        .env("AURIS_MODELS__CATALOG", concat!(env!("CARGO_MANIFEST_DIR"), "/../e2e/catalog.toml"))
        .env("AURIS_MODELS__PULL", "false")
        .env("AURIS_MODELS__DIR", home.folder().join("models"))
        .env("AURIS_RATE_LIMITS__REQUESTS_PER_MINUTE", "0")
        .env("AURIS_DATABASE__URL", &home.database.url)
        .env("NO_COLOR", "1");
    Ok(command)
}

fn log_of(path: &std::path::Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    format!("its log ends so:\n{}", lines[lines.len().saturating_sub(20)..].join("\n"))
}
