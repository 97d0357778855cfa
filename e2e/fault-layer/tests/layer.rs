//! Each fault in a small program: this test itself, started again with the layer.
#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
#![expect(clippy::unwrap_used, reason = "in a test a broken expectation is a failed test")]

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use tempfile::TempDir;

/// The folder in which the started program writes.
const CHILD: &str = "AURIS_FAULT_TEST_CHILD";
/// What the program does, as the layer reports it.
const OPERATIONS: [&str; 10] = [
    "1 open kept",
    "2 write kept",
    "3 sync kept",
    "4 sync data",
    "5 write kept",
    "6 truncate kept",
    "7 open passing",
    "8 rename passing",
    "9 remove renamed",
    "10 mkdir folder",
];

/// The program: what it writes first is synchronized, the rest is not.
fn write_files(folder: &Path) -> io::Result<()> {
    let mut kept = File::create(folder.join("kept"))?;
    kept.write_all(b"synced")?;
    kept.sync_all()?;
    File::open(folder)?.sync_all()?;
    kept.write_all(b" and more")?;
    kept.set_len(3)?;
    drop(File::create(folder.join("passing"))?);
    fs::rename(folder.join("passing"), folder.join("renamed"))?;
    fs::remove_file(folder.join("renamed"))?;
    fs::create_dir(folder.join("folder"))
}

/// What a run left behind.
struct Run {
    home: TempDir,
    status: ExitStatus,
}

impl Run {
    fn with(kind: &str, operation: usize) -> Self {
        Self::in_folder("data", kind, operation)
    }

    /// Runs the program in `data`, with faults in the given folder.
    fn in_folder(faulty: &str, kind: &str, operation: usize) -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("data")).unwrap();
        fs::create_dir_all(home.path().join(faulty)).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["the_program_is_seen_as_it_is", "--exact", "--nocapture"]);
        command.env(CHILD, home.path().join("data")).env("LD_PRELOAD", library());
        command.env("AURIS_FAULT_FOLDER", home.path().join(faulty));
        command.env("AURIS_FAULT_REPORT", home.path().join("report")).env("AURIS_FAULT_MS", "60000");
        if operation > 0 {
            command.env("AURIS_FAULT_KIND", kind).env("AURIS_FAULT_AT", operation.to_string());
        }
        let output = command.output().unwrap();
        Self { home, status: output.status }
    }

    /// The content of the first file; `None` if it does not exist.
    fn kept(&self) -> Option<String> {
        fs::read_to_string(self.home.path().join("data/kept")).ok()
    }

    fn report(&self) -> Vec<String> {
        let text = fs::read_to_string(self.home.path().join("report")).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    fn was_killed(&self) -> bool {
        self.status.signal() == Some(9)
    }
}

/// The library of the same build.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    // The test is target/debug/deps/NAME-HASH, the library target/debug/libNAME.so.
    let library = test.parent().unwrap().parent().unwrap().join("libauris_fault_layer.so");
    assert!(library.is_file(), "run `cargo build --workspace --all-targets` first");
    library
}

#[test]
fn the_program_is_seen_as_it_is() {
    if let Some(folder) = std::env::var_os(CHILD) {
        let error = write_files(Path::new(&folder)).err();
        std::process::exit(error.and_then(|error| error.raw_os_error()).unwrap_or(0));
    }
    let run = Run::with("", 0);
    assert!(run.status.success(), "{:?}", run.status);
    assert_eq!(run.report(), OPERATIONS);
    assert_eq!(run.kept().as_deref(), Some("syn"));
}

#[test]
fn a_failed_operation_returns_its_error_and_changes_nothing() {
    let run = Run::with("eio", 2);
    assert_eq!(run.status.code(), Some(5));
    assert_eq!(run.kept().as_deref(), Some(""));
    assert_eq!(run.report(), [OPERATIONS[0], OPERATIONS[1], "struck write kept"]);
    assert_eq!(Run::with("eio", 6).kept().as_deref(), Some("synced and more"));
    assert_eq!(Run::with("eio", 10).status.code(), Some(5));
}

#[test]
fn a_full_disk_refuses_what_needs_space_and_nothing_else() {
    let run = Run::with("full", 5);
    assert_eq!(run.status.code(), Some(28));
    assert_eq!(run.kept().as_deref(), Some("synced"));
    // It becomes full when a file is synchronized, which needs no space. The next write does.
    let run = Run::with("full", 3);
    assert_eq!(run.status.code(), Some(28));
    assert_eq!(run.report().last().map(String::as_str), Some(OPERATIONS[4]));
}

#[test]
fn a_torn_write_leaves_half_of_its_bytes_and_no_process() {
    let run = Run::with("torn", 2);
    assert!(run.was_killed(), "{:?}", run.status);
    assert_eq!(run.kept().as_deref(), Some("syn"));
}

#[test]
fn a_crash_is_before_the_operation_and_a_torn_removal_after_it() {
    let crash = Run::with("crash", 9);
    assert!(crash.was_killed() && crash.home.path().join("data/renamed").exists());
    let torn = Run::with("torn", 9);
    assert!(torn.was_killed() && !torn.home.path().join("data/renamed").exists());
}

#[test]
fn a_power_cut_undoes_what_was_not_synchronized() {
    // Neither the bytes nor the name, then the bytes and not the name.
    assert_eq!(Run::with("lost_fsync", 3).kept(), None);
    assert_eq!(Run::with("lost_fsync", 4).kept(), None);
    for operation in [5, 6, 7, 9, 10] {
        let run = Run::with("lost_fsync", operation);
        assert!(run.was_killed(), "{:?}", run.status);
        assert_eq!(run.kept().as_deref(), Some("synced"), "at operation {operation}");
        let names: Vec<_> = fs::read_dir(run.home.path().join("data")).unwrap().flatten().collect();
        assert_eq!(names.len(), 1, "{names:?} at operation {operation}");
    }
}

#[test]
fn files_outside_of_the_folder_are_left_alone() {
    let run = Run::in_folder("dat", "eio", 1);
    assert!(run.status.success(), "{:?}", run.status);
    assert_eq!(run.kept().as_deref(), Some("syn"));
}
