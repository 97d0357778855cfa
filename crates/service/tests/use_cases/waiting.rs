//! Waits for a condition with a deadline, instead of sleeping.

use std::time::{Duration, Instant};

/// Long enough for a busy machine. A test that waits this long has failed.
const DEADLINE: Duration = Duration::from_secs(60);
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// Checks the condition until it holds. Panics after a minute and names `what`.
pub(crate) async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let started = Instant::now();
    while !holds().await {
        assert!(started.elapsed() < DEADLINE, "gave up waiting for {what}");
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
}
