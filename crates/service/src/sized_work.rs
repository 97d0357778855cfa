//! Reading and writing JSON of any size without blocking other async work.

use auris_engines::low_priority;
use auris_store::Unread;

use crate::ServiceError;
use crate::error::Outcome;

/// Content of this size is read or written in about 100 microseconds. Another thread would cost about a third of that.
const SMALL_BYTES: usize = 64 << 10;

/// Runs work whose time depends on the size of its input: small input on this thread, large input on another one. Ten
/// million characters take a while.
pub(crate) async fn run<T: Send + 'static>(
    input_bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Outcome<T> {
    if input_bytes <= SMALL_BYTES {
        return Ok(work());
    }
    low_priority::spawn(work).await.map_err(ServiceError::internal)
}

/// Parses a stored value.
pub(crate) async fn parse<T: Send + 'static>(stored: Unread<T>) -> Outcome<T> {
    Ok(run(stored.bytes(), move || stored.parse()).await??)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[tokio::test]
    async fn only_large_input_is_handled_on_another_thread() {
        let here = thread::current().id();
        assert_eq!(run(SMALL_BYTES, || thread::current().id()).await.unwrap(), here);
        assert_ne!(run(SMALL_BYTES + 1, || thread::current().id()).await.unwrap(), here);
    }
}
