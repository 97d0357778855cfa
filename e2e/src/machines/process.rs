//! A server process of a test's own, and the ports that it listens on.

use std::net::TcpListener;
use std::process::{Child, Command};

use crate::randomness::random_below;

/// Killed when dropped.
pub(super) struct Process(Child);

impl Process {
    pub(super) fn start(command: &mut Command) -> Self {
        Self(command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}")))
    }

    /// With SIGKILL, as a power cut would.
    pub(super) fn kill(&mut self) {
        // It may have ended by itself, which the caller sees elsewhere.
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

/// Ports that nobody listens on, below those that the system hands out to connections, in one row.
pub(super) fn free_ports(count: u16) -> Vec<u16> {
    for _ in 0..1_000 {
        let first = 20_000 + random_below(12_000 / usize::from(count)) as u16 * count;
        let ports: Vec<u16> = (first..first + count).collect();
        if ports.iter().all(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()) {
            return ports;
        }
    }
    panic!("no {count} free ports in a row");
}

/// PostgreSQL and its pooler refuse to run as root; `setpriv` becomes the program, so that killing it kills the program.
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
    let id = |words: &[&str]| {
        let output = Command::new("id").args(words).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    if id(&["-u"])? != "0" {
        return None;
    }
    ["postgres", "nobody"].into_iter().find(|user| id(&["-u", user]).is_some())
}
