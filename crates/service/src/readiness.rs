//! Readiness: whether a load balancer may send requests to this node.

use std::path::{Path, PathBuf};
use std::time::Duration;

use auris_store::StoreError;
use auris_store::disk::free_bytes;

use crate::settings::DiskSettings;
use crate::{Service, spool};

/// How long the database, the blob store and the file system may take to answer a readiness check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// Whether a load balancer may send requests to this node, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    Ready,
    ShuttingDown,
    NoDatabase,
    /// The blob store does not answer, cannot be written, or does not belong to the database.
    NoBlobs,
    /// The folder for uploads is missing and cannot be created, or cannot be written.
    NoSpool,
    LowDisk,
}

impl Service {
    /// Whether this node can accept work: its database, its blob store and its disk do, and it is not stopping.
    pub async fn readiness(&self) -> Readiness {
        if self.leaving().is_cancelled() || self.shutdown().is_cancelled() {
            return Readiness::ShuttingDown;
        }
        let database = answers(async { self.store().ping().await.is_ok() });
        let blobs = answers(async { matches!(self.can_write_blobs().await, Ok(true)) });
        let (database, blobs, files) = tokio::join!(database, blobs, self.check_files());
        match (database, blobs) {
            (false, _) => Readiness::NoDatabase,
            (true, false) => Readiness::NoBlobs,
            (true, true) => files,
        }
    }

    async fn can_write_blobs(&self) -> Result<bool, StoreError> {
        self.blobs().check_writable().await?;
        self.owns_blobs().await
    }

    async fn check_files(&self) -> Readiness {
        let spool = self.settings().spool_dir.clone();
        let disk = self.settings().disk.clone();
        let checked = tokio::task::spawn_blocking(move || check_files(&spool, &disk));
        match tokio::time::timeout(CHECK_TIMEOUT, checked).await {
            Ok(Ok(readiness)) => readiness,
            Ok(Err(_)) | Err(_) => Readiness::NoSpool,
        }
    }
}

/// Whether a check succeeds in time. A store that is down can keep its callers waiting for much longer.
async fn answers(check: impl Future<Output = bool>) -> bool {
    tokio::time::timeout(CHECK_TIMEOUT, check).await.unwrap_or(false)
}

fn check_files(spool: &Path, disk: &DiskSettings) -> Readiness {
    if spool::ensure(spool).is_err() {
        return Readiness::NoSpool;
    }
    let is_low = |folder: &PathBuf| free_bytes(folder).is_ok_and(|free| free < disk.min_free_bytes);
    match disk.folders.iter().any(is_low) {
        true => Readiness::LowDisk,
        false => Readiness::Ready,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_without_space_or_without_a_folder_for_uploads_is_not_ready() {
        let home = tempfile::tempdir().unwrap();
        let spool = home.path().join("spool");
        let disk = |min_free_bytes| DiskSettings { folders: vec![home.path().to_owned()], min_free_bytes };
        assert_eq!(check_files(&spool, &disk(0)), Readiness::Ready);
        assert!(spool.is_dir(), "a missing folder is created");
        assert_eq!(check_files(&spool, &disk(u64::MAX)), Readiness::LowDisk);
        std::fs::remove_dir(&spool).unwrap();
        std::fs::write(&spool, "a file").unwrap();
        assert_eq!(check_files(&spool, &disk(0)), Readiness::NoSpool);
    }
}
