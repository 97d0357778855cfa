//! Removes uploads that a crash left behind, at the start and while the service runs.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use auris_service::spool;
use tokio_util::sync::CancellationToken;

/// Sweeps the folder at intervals until it is stopped.
pub(super) async fn run(folder: PathBuf, period: Duration, stop: CancellationToken) {
    let mut interval = tokio::time::interval(period);
    loop {
        tokio::select! {
            _ = interval.tick() => {}
            () = stop.cancelled() => return,
        }
        let folder = folder.clone();
        if let Err(error) = tokio::task::spawn_blocking(move || spool::remove_abandoned(&folder, now())).await
        {
            tracing::error!(%error, "cannot look for abandoned uploads");
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the file system dates files by the real time")]
fn now() -> SystemTime {
    SystemTime::now()
}
