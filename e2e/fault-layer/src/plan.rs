//! What the layer is to do, from the environment of the process.

use std::ffi::{CString, c_int};
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use crate::system_calls;

/// How long a disk stays full unless `AURIS_FAULT_MS` says otherwise: longer than a request takes, shorter than a test.
const FULL: Duration = Duration::from_millis(400);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Eio,
    Full,
    Crash,
    Torn,
    LostFsync,
}

/// A fault, and the number of the operation at which it happens.
#[derive(Clone, Copy)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    pub(crate) operation: u64,
    /// How long a full disk stays full.
    pub(crate) duration: Duration,
}

pub(crate) struct Plan {
    /// The folder as it was given.
    folder: Vec<u8>,
    /// The folder without symbolic links.
    canonical: Vec<u8>,
    pub(crate) fault: Option<Fault>,
    /// The open report file; -1 if there is none.
    pub(crate) report: c_int,
}

impl Plan {
    /// `None` if no folder is given: then the layer does nothing.
    pub(crate) fn from_environment() -> Option<Self> {
        let folder = path_from("AURIS_FAULT_FOLDER")?;
        let report = path_from("AURIS_FAULT_REPORT");
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND;
        Some(Self {
            canonical: system_calls::canonical(&folder),
            folder: folder.into_bytes(),
            fault: fault_from_environment(),
            report: report.map_or(-1, |path| system_calls::open(&path, flags)),
        })
    }

    /// The path without the symbolic links of the folder, if it is in the folder or is the folder itself.
    pub(crate) fn inside(&self, path: &[u8]) -> Option<Vec<u8>> {
        if in_folder(path, &self.canonical) {
            return Some(path.to_vec());
        }
        let rest = path.strip_prefix(self.folder.as_slice())?;
        in_folder(path, &self.folder).then(|| [self.canonical.as_slice(), rest].concat())
    }

    /// A name next to the folder for a file that a power cut would have lost.
    pub(crate) fn lost_name(&self, number: usize) -> Option<CString> {
        let mut name = self.canonical.clone();
        name.extend_from_slice(format!(".lost.{number}").as_bytes());
        CString::new(name).ok()
    }
}

fn in_folder(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

fn fault_from_environment() -> Option<Fault> {
    let kind = match std::env::var("AURIS_FAULT_KIND").ok()?.as_str() {
        "eio" => Kind::Eio,
        "full" => Kind::Full,
        "crash" => Kind::Crash,
        "torn" => Kind::Torn,
        "lost_fsync" => Kind::LostFsync,
        _ => system_calls::stop("AURIS_FAULT_KIND is none of eio, full, crash, torn, lost_fsync\n"),
    };
    let duration = number_from("AURIS_FAULT_MS").map_or(FULL, Duration::from_millis);
    Some(Fault { kind, operation: number_from("AURIS_FAULT_AT").unwrap_or(0), duration })
}

fn number_from(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    let Ok(number) = text.parse() else {
        system_calls::stop("AURIS_FAULT_AT and AURIS_FAULT_MS must be numbers\n")
    };
    Some(number)
}

fn path_from(variable: &str) -> Option<CString> {
    CString::new(std::env::var_os(variable)?.into_vec()).ok()
}
