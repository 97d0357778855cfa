//! Merges are finished before they are committed.

use std::fs;
use std::process::Command;

use auris_e2e::repository;

#[test]
fn no_tracked_file_has_conflict_markers() {
    let output = Command::new("git").arg("-C").arg(repository()).args(["ls-files", "-z"]).output();
    let output = output.expect("git runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).expect("file names are UTF-8");
    let mut found = Vec::new();
    for name in names.split('\0').filter(|name| !name.is_empty()) {
        // A file that is deleted but still tracked has no markers.
        let bytes = fs::read(repository().join(name)).unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| is_marker(line));
        found.extend(lines.map(|(number, _)| format!("{name}:{}", number + 1)));
    }
    assert!(found.is_empty(), "conflict markers in {}", found.join(", "));
}

/// The middle marker, seven equals signs, is also an underline in text files, so it does not count.
fn is_marker(line: &[u8]) -> bool {
    line.starts_with(b"<<<<<<< ") || line.starts_with(b">>>>>>> ")
}
