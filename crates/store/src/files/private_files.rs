//! Files and folders that only their owner can read, whatever the umask and the folder around them allow.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;
/// What the group and all others may do.
const OTHERS: u32 = 0o077;
/// Marks a folder that many users share, such as `/tmp`.
const STICKY: u32 = 0o1000;

/// Creates a folder, and those above it that do not exist.
pub fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path)
}

/// Takes all permissions away from everybody but the owner. A path that does not exist, that belongs to another user, or
/// that is a folder for many users is left as it is.
pub fn restrict(path: &Path) -> io::Result<()> {
    let changed = fs::metadata(path).and_then(|found| {
        let mode = found.permissions().mode();
        let is_shared = found.is_dir() && mode & STICKY != 0;
        if mode & OTHERS == 0 || is_shared {
            return Ok(());
        }
        let own = if found.is_dir() { FOLDER_MODE } else { FILE_MODE };
        fs::set_permissions(path, Permissions::from_mode(own))
    });
    match changed {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {
            Ok(())
        }
        outcome => outcome,
    }
}

/// Creates a file, or empties the one that exists.
pub(crate) fn create_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(FILE_MODE).open(path)
}

/// Creates the file of an SQLite database if it does not exist, and restricts it and its log, because SQLite gives the log
/// the permissions of the database.
pub(crate) fn prepare_database(path: &str) -> io::Result<()> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(FILE_MODE).open(path)?;
    ["", "-wal", "-shm"].iter().try_for_each(|end| restrict(Path::new(&format!("{path}{end}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn what_exists_is_restricted_except_folders_for_many_users() {
        let folder = tempfile::tempdir().unwrap();
        let (inner, shared) = (folder.path().join("inner"), folder.path().join("shared"));
        for (path, permissions) in [(&inner, 0o755), (&shared, 0o1777)] {
            fs::create_dir(path).unwrap();
            fs::set_permissions(path, Permissions::from_mode(permissions)).unwrap();
            restrict(path).unwrap();
        }
        let file = inner.join("file");
        fs::write(&file, "text").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        restrict(&file).unwrap();
        assert_eq!((mode(&inner), mode(&shared), mode(&file)), (0o700, 0o1777, 0o600));
        restrict(&inner.join("missing")).unwrap();
    }

    #[test]
    fn what_is_created_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("one/two");
        create_folder(&inner).unwrap();
        create_folder(&inner).unwrap();
        create_file(&inner.join("file")).unwrap();
        let modes = [folder.path().join("one"), inner.clone(), inner.join("file")].map(|path| mode(&path));
        assert_eq!(modes, [0o700, 0o700, 0o600]);
    }
}
