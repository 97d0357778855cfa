//! Waiting for a condition with a deadline, instead of sleeping.

use std::future::Future;
use std::time::{Duration, Instant};

/// Long enough for a loaded machine; a test that gets there has failed.
const DEADLINE: Duration = Duration::from_secs(60);
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Asks again and again until there is an answer; panics naming `what` after a minute.
pub async fn eventually<T, F, Fut>(what: &str, condition: F) -> T
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    eventually_within(DEADLINE, what, condition).await
}

/// The same with a deadline of its own.
pub async fn eventually_within<T, F, Fut>(deadline: Duration, what: &str, mut condition: F) -> T
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    let started = Instant::now();
    let mut looks = tokio::time::interval(BETWEEN_LOOKS);
    loop {
        looks.tick().await;
        if let Some(answer) = condition().await {
            return answer;
        }
        assert!(started.elapsed() < deadline, "gave up waiting for {what}");
    }
}
