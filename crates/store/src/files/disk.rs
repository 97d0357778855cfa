//! What the file system says about a folder.

use std::io;
use std::path::Path;

use rustix::fs::{Access, access, statvfs};

/// The number of bytes that this user can still write to the file system of the folder.
pub fn free_bytes(folder: &Path) -> io::Result<u64> {
    let found = statvfs(folder)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

/// The size of the file system of the folder.
pub fn total_bytes(folder: &Path) -> io::Result<u64> {
    let found = statvfs(folder)?;
    Ok(found.f_blocks.saturating_mul(found.f_frsize))
}

/// Succeeds if the folder exists and files can be created in it.
pub fn check_writable(folder: &Path) -> io::Result<()> {
    if !folder.metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    Ok(access(folder, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_writable_and_a_file_or_a_missing_folder_is_not() {
        let folder = tempfile::tempdir().unwrap();
        check_writable(folder.path()).unwrap();
        assert!(free_bytes(folder.path()).unwrap() > 0);
        assert!(total_bytes(folder.path()).unwrap() >= free_bytes(folder.path()).unwrap());
        let file = folder.path().join("file");
        std::fs::write(&file, "text").unwrap();
        assert!(check_writable(&file).is_err());
        assert!(check_writable(&folder.path().join("missing")).is_err());
        assert!(free_bytes(&folder.path().join("missing")).is_err());
    }
}
