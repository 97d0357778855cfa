//! Removes uploads that a crash left behind.

use std::fs::{self, DirEntry};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// No upload takes this long. A younger file may belong to another process that uses the same folder.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// Removes abandoned uploads. A file that cannot be removed does not keep the service from starting.
pub(super) fn sweep(folder: &Path, now: SystemTime) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            return tracing::warn!(%error, folder = %folder.display(), "cannot look for abandoned uploads");
        }
    };
    for entry in entries.filter_map(Result::ok).filter(|entry| is_abandoned(entry, now)) {
        if let Err(error) = fs::remove_file(entry.path()) {
            tracing::warn!(%error, file = %entry.path().display(), "cannot remove an abandoned upload");
        }
    }
}

fn is_abandoned(entry: &DirEntry, now: SystemTime) -> bool {
    let Ok(metadata) = entry.metadata() else { return false };
    let age = metadata.modified().ok().and_then(|modified| now.duration_since(modified).ok());
    metadata.is_file() && age.is_some_and(|age| age > ABANDONED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the file system dates files by the real time")]
    fn only_files_older_than_a_day_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let (file, inner) = (folder.path().join("upload-1"), folder.path().join("inner"));
        fs::write(&file, "half").unwrap();
        fs::create_dir(&inner).unwrap();
        sweep(folder.path(), SystemTime::now());
        assert!(file.exists());
        sweep(folder.path(), SystemTime::now() + 2 * ABANDONED);
        assert!(!file.exists() && inner.exists());
        sweep(&folder.path().join("missing"), SystemTime::now());
    }
}
