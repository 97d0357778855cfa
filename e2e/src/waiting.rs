//! Waits for a condition with a deadline, instead of sleeping.

use std::future::Future;
use std::time::{Duration, Instant};

/// Long enough for a busy machine. A test that waits this long has failed.
const DEADLINE: Duration = Duration::from_secs(60);
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Checks the condition until it has a value, and returns it. Panics after a minute and names `what`.
pub async fn eventually<T, F, Fut>(what: &str, condition: F) -> T
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    eventually_within(DEADLINE, what, condition).await
}

/// The same with a different deadline.
pub async fn eventually_within<T, F, Fut>(deadline: Duration, what: &str, mut condition: F) -> T
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    let started = Instant::now();
    let mut checks = tokio::time::interval(CHECK_INTERVAL);
    loop {
        checks.tick().await;
        if let Some(answer) = condition().await {
            return answer;
        }
        assert!(started.elapsed() < deadline, "gave up waiting for {what}");
    }
}
