//! Named places where a crash test ends the process as `kill -9` would.

#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(debug_assertions)]
static PASSES: AtomicU64 = AtomicU64::new(0);

/// Aborts the process if `AURIS_CRASH_AT` is this name, or `name:n` at the n-th pass. Does nothing in release builds.
pub fn crash_point(name: &str) {
    #[cfg(debug_assertions)]
    {
        let Ok(wanted) = std::env::var("AURIS_CRASH_AT") else {
            return;
        };
        let (place, pass) = wanted.split_once(':').unwrap_or((wanted.as_str(), "1"));
        if place == name && PASSES.fetch_add(1, Ordering::SeqCst) + 1 == pass.parse().unwrap_or(1) {
            std::process::abort();
        }
    }
    #[cfg(not(debug_assertions))]
    let _ = name;
}
