//! The spool: files that exist only while a request or a step needs them. Each is locked by its process, so that another
//! process knows which files a crash left behind.

use std::fs::{self, DirEntry, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use auris_store::{disk, private_files};
use tempfile::{NamedTempFile, TempPath};
use tokio::fs::File;

/// Begins the names of files that are locked while they are in use.
const LOCKED: &str = "locked-";
/// A file is locked a moment after it was created.
const LOCK_DELAY: Duration = Duration::from_secs(60);
/// No request takes this long, so an older file is abandoned even if it cannot be seen whether it is locked: on a file
/// system without locks, and the files of older versions and of `auris import`.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// A file of the spool. It is locked while it exists, and deleted when it is dropped.
pub(crate) struct SpoolFile {
    /// Keeps the lock.
    pub(crate) file: File,
    path: TempPath,
}

impl SpoolFile {
    /// Creates a file, and the folder if somebody has removed it.
    pub(crate) async fn create(folder: &Path) -> io::Result<Self> {
        let folder = folder.to_owned();
        let created = tokio::task::spawn_blocking(move || create(&folder)).await;
        let (file, path) = created.map_err(io::Error::other)??.into_parts();
        Ok(Self { file: File::from_std(file), path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

fn create(folder: &Path) -> io::Result<NamedTempFile> {
    let new = || tempfile::Builder::new().prefix(LOCKED).tempfile_in(folder);
    let file = match new() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            private_files::create_folder(folder)?;
            new()?
        }
        created => created?,
    };
    // On a file system without locks, abandoned files are found by their age.
    let _ = file.as_file().try_lock();
    Ok(file)
}

/// Makes sure that the folder exists and can be written.
pub(crate) fn ensure(folder: &Path) -> io::Result<()> {
    private_files::create_folder(folder)?;
    disk::check_writable(folder)
}

/// Removes the files that dead processes left behind. One that cannot be removed is only logged.
pub fn remove_abandoned(folder: &Path, now: SystemTime) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            return tracing::warn!(%error, folder = %folder.display(), "cannot look for abandoned uploads");
        }
    };
    for entry in entries.filter_map(Result::ok).filter(|entry| is_abandoned(entry, now)) {
        match fs::remove_file(entry.path()) {
            Ok(()) => tracing::info!(file = %entry.path().display(), "removed an abandoned upload"),
            Err(error) => {
                tracing::warn!(%error, file = %entry.path().display(), "cannot remove an abandoned upload");
            }
        }
    }
}

fn is_abandoned(entry: &DirEntry, now: SystemTime) -> bool {
    let Ok(metadata) = entry.metadata() else { return false };
    let age = metadata.modified().ok().and_then(|modified| now.duration_since(modified).ok());
    let Some(age) = age.filter(|_| metadata.is_file()) else { return false };
    if age <= LOCK_DELAY || !entry.file_name().to_string_lossy().starts_with(LOCKED) {
        return age > ABANDONED;
    }
    let locked = OpenOptions::new().read(true).write(true).open(entry.path()).map(|file| file.try_lock());
    match locked {
        Ok(Ok(())) => true,
        Ok(Err(TryLockError::WouldBlock)) => false,
        Ok(Err(TryLockError::Error(_))) | Err(_) => age > ABANDONED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "the file system dates files by the real time")]
    fn now() -> SystemTime {
        SystemTime::now()
    }

    #[tokio::test]
    async fn a_file_in_use_is_kept_and_that_of_a_dead_process_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let used = SpoolFile::create(folder.path()).await.unwrap();
        // As after `kill -9`: the lock is gone, and nobody has deleted the file.
        let (lock, left) = create(folder.path()).unwrap().keep().unwrap();
        drop(lock);
        remove_abandoned(folder.path(), now());
        assert!(left.exists(), "it is too new to be judged by its lock");
        remove_abandoned(folder.path(), now() + 2 * LOCK_DELAY);
        assert!(!left.exists());
        remove_abandoned(folder.path(), now() + 2 * ABANDONED);
        assert!(used.path().exists(), "a file in use is kept, however old it is");
        let path = used.path().to_owned();
        drop(used);
        assert!(!path.exists());
    }

    #[test]
    fn a_file_without_a_lock_is_removed_after_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let (file, inner) = (folder.path().join("upload-1"), folder.path().join("inner"));
        fs::write(&file, "half").unwrap();
        fs::create_dir(&inner).unwrap();
        remove_abandoned(folder.path(), now() + 2 * LOCK_DELAY);
        assert!(file.exists());
        remove_abandoned(folder.path(), now() + 2 * ABANDONED);
        assert!(!file.exists() && inner.exists());
        remove_abandoned(&folder.path().join("missing"), now());
    }

    #[tokio::test]
    async fn a_removed_folder_is_created_again() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("spool");
        let file = SpoolFile::create(&folder).await.unwrap();
        assert!(file.path().starts_with(&folder));
        fs::remove_dir_all(&folder).unwrap();
        ensure(&folder).unwrap();
        fs::remove_dir(&folder).unwrap();
        fs::write(&folder, "not a folder").unwrap();
        assert!(ensure(&folder).is_err());
    }
}
