//! What tests observe of a server from outside: its log, its files, its memory.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::Server;

impl Server {
    /// What the server has logged so far, over all its starts.
    pub fn log(&self) -> String {
        let bytes = fs::read(self.log_path()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Every file under the data folder, and every blob in the bucket.
    pub fn files(&self) -> BTreeSet<PathBuf> {
        let mut found = self.blobs.listed();
        collect_files(&self.data(), &mut found);
        found
    }

    /// A size from `/proc/PID/status`, such as VmRSS or VmHWM, in bytes.
    pub fn memory(&self, field: &str) -> u64 {
        let path = format!("/proc/{}/status", self.pid());
        let status = fs::read_to_string(path).expect("a running process has a status");
        let line = status.lines().find(|line| line.starts_with(field));
        let number = line.and_then(|line| line.split_whitespace().nth(1));
        let kilobytes: u64 = number.and_then(|n| n.parse().ok()).expect("a number of kB");
        kilobytes * 1024
    }

    /// The niceness of the threads whose name begins like this.
    pub fn niceness(&self, name: &str) -> Vec<i32> {
        let threads =
            fs::read_dir(format!("/proc/{}/task", self.pid())).expect("a running process has threads");
        let stat = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("stat")).ok();
        let stats = threads.filter_map(|thread| stat(thread.ok()?));
        // `1 (engine-0) S …`: the niceness is the 17th field after the name.
        let niceness = |stat: String| {
            let (start, rest) = stat.rsplit_once(')')?;
            let of_name = start.split_once('(')?.1.starts_with(name);
            of_name.then(|| rest.split_whitespace().nth(16)?.parse().ok())?
        };
        stats.filter_map(niceness).collect()
    }

    pub(super) fn log_errors(&self) -> Vec<String> {
        let log = self.log();
        let mut errors = Vec::new();
        if log.contains("panicked") {
            errors.push("the server panicked".to_owned());
        }
        let keys = self.issued_keys.lock().expect("no holder panics");
        if keys.iter().any(|key| log.contains(key.as_str())) {
            errors.push("the log shows an API key".to_owned());
        }
        errors
    }
}

pub(super) fn tail(log: &str, lines: usize) -> String {
    let all: Vec<&str> = log.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

fn collect_files(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    // A file or folder may be removed in the meantime.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => collect_files(&path, found),
            false => {
                found.insert(path);
            }
        }
    }
}
