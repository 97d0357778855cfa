//! A server process that a test started, and free ports for it.

use std::net::TcpListener;
use std::process::{Child, Command};

use crate::fixtures::random_below;

/// Killed when dropped.
pub(super) struct Process(Child);

impl Process {
    pub(super) fn start(command: &mut Command) -> Self {
        Self(command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}")))
    }

    /// Kills the process with SIGKILL, as a power cut would.
    pub(super) fn kill(&mut self) {
        // Errors mean that the process has already ended; the caller notices that elsewhere.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    pub(super) fn has_ended(&mut self) -> bool {
        self.0.try_wait().is_ok_and(|status| status.is_some())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Consecutive ports that are not in use, below the range that the system uses for outgoing connections.
pub(super) fn free_ports(count: u16) -> Vec<u16> {
    for _ in 0..1_000 {
        let first = 20_000 + random_below(12_000 / usize::from(count)) as u16 * count;
        let ports: Vec<u16> = (first..first + count).collect();
        if ports.iter().all(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()) {
            return ports;
        }
    }
    panic!("{count} consecutive free ports were not found");
}

/// A command that does not run as root, which PostgreSQL and its pooler refuse. `setpriv` replaces itself with the
/// program, so killing the child process kills the program.
pub(super) fn as_user(program: &str) -> Command {
    let Some(user) = user() else { return Command::new(program) };
    let path = Command::new("sh").args(["-c", &format!("command -v {program}")]).output();
    let path = path.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let path = path.ok().filter(|path| !path.is_empty());
    let path =
        path.unwrap_or_else(|| panic!("`{program}` is not on the path: run the tests with `scripts/test`"));
    let mut command = Command::new("setpriv");
    command.args(["--reuid", user, "--regid", user, "--clear-groups", &path]);
    command
}

pub(super) fn user() -> Option<&'static str> {
    let id = |arguments: &[&str]| {
        let output = Command::new("id").args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    if id(&["-u"])? != "0" {
        return None;
    }
    ["postgres", "nobody"].into_iter().find(|user| id(&["-u", user]).is_some())
}
