//! Blobs in a folder. An upload becomes a blob by a hard link, and is on the disk before its row is written.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Key;

use crate::error::StoreError;

#[derive(Debug, Clone)]
pub(super) struct Folder {
    root: PathBuf,
    files: Arc<LocalFileSystem>,
}

impl Folder {
    pub(super) fn open(root: &Path) -> Result<Self, StoreError> {
        fs::create_dir_all(root).map_err(StoreError::unavailable)?;
        let files = LocalFileSystem::new_with_prefix(root)?.with_fsync(true).with_automatic_cleanup(true);
        Ok(Self { root: root.canonicalize().map_err(StoreError::unavailable)?, files: Arc::new(files) })
    }

    pub(super) fn store(&self) -> Arc<dyn ObjectStore> {
        Arc::clone(&self.files) as _
    }

    pub(super) fn path(&self, key: &str) -> Result<PathBuf, StoreError> {
        Ok(self.files.path_to_filesystem(&Key::from(key))?)
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

/// Gives the file a second name in the folder, so that its bytes are not written twice, and waits until both are on disk.
fn link(source: &Path, target: &Path, root: &Path) -> io::Result<u64> {
    let file = File::open(source)?;
    file.sync_all()?;
    let folder = target.parent().unwrap_or(root);
    fs::create_dir_all(folder)?;
    fs::hard_link(source, target)?;
    let inside = folder.ancestors().take_while(|folder| folder.starts_with(root));
    for folder in inside {
        File::open(folder)?.sync_all()?;
    }
    Ok(file.metadata()?.len())
}
