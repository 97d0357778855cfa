//! The sweeper uses the clock of the service.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use auris_domain::id::ArtifactId;

use crate::test_service::{NOW, TestService};

const MINUTE_MS: i64 = 60_000;

impl TestService {
    /// Creates an orphan blob that was last written `age_ms` ago.
    fn orphan(&self, age_ms: i64) -> PathBuf {
        let folder = self.folder().join("blobs").join(self.project.as_str());
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(ArtifactId::generate(NOW).as_str());
        File::create(&path).unwrap().set_modified(NOW.plus_ms(-age_ms).to_system_time()).unwrap();
        path
    }
}

async fn is_removed(path: &Path) -> bool {
    let started = Instant::now();
    while path.exists() && started.elapsed() < Duration::from_secs(30) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    !path.exists()
}

#[tokio::test]
async fn an_orphan_blob_is_removed_when_it_is_an_hour_old_by_the_clock() {
    let test = TestService::new().await;
    let old = test.orphan(61 * MINUTE_MS);
    let young = test.orphan(30 * MINUTE_MS);
    let service = test.service.clone();
    let stop = test.stop.clone();
    let sweeper = tokio::spawn(async move { service.run_sweeper(stop).await });
    assert!(is_removed(&old).await);
    assert!(young.exists());
    test.advance(31 * MINUTE_MS);
    assert!(is_removed(&young).await);
    test.stop.cancel();
    sweeper.await.unwrap();
}
