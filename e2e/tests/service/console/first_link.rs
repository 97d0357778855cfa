//! The sign-in link that the first start prints.

use std::path::Path;
use std::process::{Command, Stdio};

use auris_e2e::{auris_binary, eventually};
use serde_json::Value;

/// In a log, the link would be a secret that others can read.
#[tokio::test]
async fn the_first_start_prints_a_sign_in_link_on_a_terminal_only() {
    let (address, printed) = first_start(|serve, log| {
        let mut terminal = Command::new("script");
        terminal.args(["--quiet", "--flush", "--command", serve]).arg(log);
        terminal
    })
    .await;
    assert!(printed.contains("Your first API key"), "{printed}");
    assert!(printed.contains(&format!("http://{address}/sign-in#link=sl-")), "{printed}");

    let (_, printed) = first_start(|serve, log| {
        let mut pipe = Command::new("sh");
        pipe.args(["-c", &format!("{serve} | cat >'{}'", log.display())]);
        pipe
    })
    .await;
    assert!(printed.contains("Your first API key"), "{printed}");
    assert!(!printed.contains("#link="), "{printed}");
}

/// Starts `auris serve` on an empty folder by a command that writes its output to a file. Returns the address and the
/// output of the start.
async fn first_start(command: impl FnOnce(&str, &Path) -> Command) -> (String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (data, log) = (folder.path().join("data"), folder.path().join("printed"));
    let program = auris_binary();
    let serve = format!("'{}' serve --listen 127.0.0.1:0 --data '{}'", program.display(), data.display());
    let mut command = command(&serve, &log);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("SHELL", "/bin/sh");
    command.env("AURIS_MODELS__FAKE", "true").env("AURIS_MODELS__PULL", "false");
    command.env("AURIS_MODELS__DIR", folder.path().join("models"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the command starts");
    let printed = eventually("the end of the first output", || async {
        let printed = std::fs::read_to_string(&log).ok()?;
        printed.contains("The API is documented at").then_some(printed)
    })
    .await;
    let running: Value = serde_json::from_slice(&std::fs::read(data.join("serve.json")).expect("a file"))
        .expect("the file is JSON");
    let stopped = Command::new("kill").arg(running["pid"].to_string()).status();
    assert!(stopped.expect("the `kill` command exists").success());
    child.wait().expect("the command is our child process");
    (running["address"].as_str().expect("a text").to_owned(), printed)
}
