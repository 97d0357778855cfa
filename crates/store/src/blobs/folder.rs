//! Blobs in a folder. An upload becomes a blob by a hard link, and is on the disk before its row is written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Key;

use crate::error::StoreError;
use crate::files::{disk, private_files};

/// A file of this size is read in microseconds.
const SMALL_FILE: u64 = 64 << 10;

#[derive(Debug, Clone)]
pub(super) struct Folder {
    root: PathBuf,
    files: Arc<LocalFileSystem>,
}

impl Folder {
    pub(super) fn open(root: &Path) -> Result<Self, StoreError> {
        private_files::create_folder(root).map_err(StoreError::unavailable)?;
        // Older versions created blobs that others could read; only the permissions of this folder protect those.
        private_files::restrict(root).map_err(StoreError::unavailable)?;
        let files = LocalFileSystem::new_with_prefix(root)?.with_fsync(true).with_automatic_cleanup(true);
        Ok(Self { root: root.canonicalize().map_err(StoreError::unavailable)?, files: Arc::new(files) })
    }

    pub(super) fn store(&self) -> Arc<dyn ObjectStore> {
        Arc::clone(&self.files) as _
    }

    pub(super) fn path(&self, key: &str) -> Result<PathBuf, StoreError> {
        Ok(self.files.path_to_filesystem(&Key::from(key))?)
    }

    /// Succeeds if the folder exists and files can be created in it.
    pub(super) fn check_writable(&self) -> Result<(), StoreError> {
        disk::check_writable(&self.root).map_err(StoreError::unavailable)
    }

    pub(super) fn restrict(&self, key: &str) -> Result<(), StoreError> {
        private_files::restrict(&self.path(key)?).map_err(StoreError::unavailable)
    }

    /// Reads a small file on the calling thread, which is quicker than passing it to another one.
    pub(super) async fn read(&self, key: &str) -> Result<Option<Bytes>, StoreError> {
        let path = self.path(key)?;
        let bytes = match fs::metadata(&path) {
            Ok(file) if file.len() <= SMALL_FILE => fs::read(&path),
            Ok(_) => tokio::fs::read(&path).await,
            Err(error) => Err(error),
        };
        match bytes {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::unavailable(error)),
        }
    }

    /// Writes a file, and waits until it is on the disk. Nobody reads it before that, because its row is written
    /// later; so it needs no temporary name.
    pub(super) async fn write(&self, key: &str, bytes: Bytes) -> Result<(), StoreError> {
        let target = self.path(key)?;
        let root = self.root.clone();
        let written = tokio::task::spawn_blocking(move || write(&target, &bytes, &root)).await;
        written.map_err(|error| StoreError::Internal(error.into()))?.map_err(StoreError::unavailable)
    }

    /// Links the file without a copy; `None` if that is impossible: another file system, or one without hard links.
    pub(super) async fn link(&self, key: &str, source: &Path) -> Result<Option<u64>, StoreError> {
        let target = self.path(key)?;
        let source = source.to_owned();
        let root = self.root.clone();
        let linked = tokio::task::spawn_blocking(move || link(&source, &target, &root)).await;
        Ok(linked.map_err(|error| StoreError::Internal(error.into()))?.ok())
    }
}

fn write(target: &Path, bytes: &[u8], root: &Path) -> io::Result<()> {
    let is_new = create_folder_of(target, root)?;
    let mut file = private_files::create_file(target)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    sync_folders(target, root, is_new)
}

/// Gives the file a second name in the folder, so that its bytes are not written twice, and waits until both are on disk.
fn link(source: &Path, target: &Path, root: &Path) -> io::Result<u64> {
    let file = File::open(source)?;
    file.sync_all()?;
    let is_new = create_folder_of(target, root)?;
    fs::hard_link(source, target)?;
    sync_folders(target, root, is_new)?;
    Ok(file.metadata()?.len())
}

/// Creates the folder that the file is to be in; returns whether it is new.
fn create_folder_of(target: &Path, root: &Path) -> io::Result<bool> {
    let folder = target.parent().unwrap_or(root);
    let is_new = !folder.exists();
    if is_new {
        private_files::create_folder(folder)?;
    }
    Ok(is_new)
}

/// Waits until the file's name is on the disk, and if its folder is new, the names of all folders above it. They may be
/// new too, or another thread may have created them a moment ago.
fn sync_folders(target: &Path, root: &Path, is_new: bool) -> io::Result<()> {
    let folders = target.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
    for folder in folders.take(if is_new { usize::MAX } else { 1 }) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
