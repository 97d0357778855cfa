//! Faults in a server's operations on its data folder, by the library in `e2e/fault-layer`.

use std::fs;
use std::path::PathBuf;

use super::Server;
use crate::repository::build_folder;

const PRELOAD: &str = "LD_PRELOAD";
const FOLDER: &str = "AURIS_FAULT_FOLDER";
const REPORT: &str = "AURIS_FAULT_REPORT";
const KIND: &str = "AURIS_FAULT_KIND";
const AT: &str = "AURIS_FAULT_AT";

/// What happens at the chosen operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileFault {
    /// It fails.
    Eio,
    /// The disk is full for less than a second.
    Full,
    /// The process dies before it.
    Crash,
    /// The process dies when half of the bytes are written.
    Torn,
    /// The process dies, and what was not synchronized is undone.
    LostFsync,
}

/// What the layer did in a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultReport {
    /// The number of operations on the data folder.
    pub operations: usize,
    /// Whether the chosen operation was reached.
    pub struck: bool,
}

impl FileFault {
    pub const ALL: [Self; 5] = [Self::Eio, Self::Full, Self::Crash, Self::Torn, Self::LostFsync];

    /// The value of `AURIS_FAULT_KIND`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Eio => "eio",
            Self::Full => "full",
            Self::Crash => "crash",
            Self::Torn => "torn",
            Self::LostFsync => "lost_fsync",
        }
    }
}

impl Server {
    /// Loads the layer at the next start. It counts the operations on the data folder; if a fault is given, it happens
    /// at the operation of that number.
    pub fn load_fault_layer(&mut self, fault: Option<(FileFault, usize)>) {
        self.set(PRELOAD, &library().display().to_string());
        self.set(FOLDER, &self.data().display().to_string());
        self.set(REPORT, &self.report_path().display().to_string());
        if let Some((kind, operation)) = fault {
            self.set(KIND, kind.name());
            self.set(AT, &operation.to_string());
        }
    }

    /// The next start is without faults.
    pub fn unload_fault_layer(&mut self) {
        for variable in [PRELOAD, FOLDER, REPORT, KIND, AT] {
            self.unset(variable);
        }
    }

    /// What the layer has reported since it was loaded.
    pub fn fault_report(&self) -> FaultReport {
        let report = fs::read_to_string(self.report_path()).unwrap_or_default();
        let struck = report.lines().any(|line| line.starts_with("struck "));
        FaultReport { operations: report.lines().count() - usize::from(struck), struck }
    }

    fn report_path(&self) -> PathBuf {
        self.home.path().join("faults.txt")
    }
}

fn library() -> PathBuf {
    let library = build_folder().join("libauris_fault_layer.so");
    assert!(
        library.is_file(),
        "`{}` is not built: run `scripts/test`, or `cargo build --workspace --all-targets` first",
        library.display()
    );
    library
}
