//! Responses that must end when the key or session that they were requested with ends.

use std::sync::Arc;

use auris_service::access::KeyWatch;
use axum::body::HttpBody;
use axum::response::Response;
use futures::future::BoxFuture;

/// Responses up to this number of bytes are not watched: `server` writes them at once, or gives up after its timeout.
const UNWATCHED_BYTES: u64 = 16 * 1024;

/// Attached to a response that must end at a certain event, such as the end of its key, even if its client does not read
/// what was already sent. `server` waits for that event.
#[derive(Clone)]
pub(crate) struct EndSignal(Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>);

impl EndSignal {
    /// Each future that `wait` returns completes at the event.
    pub(crate) fn new(wait: impl Fn() -> BoxFuture<'static, ()> + Send + Sync + 'static) -> Self {
        Self(Arc::new(wait))
    }

    /// The end of a key or session.
    pub(crate) fn at_the_end_of(key: KeyWatch) -> Self {
        Self::new(move || {
            let key = key.clone();
            Box::pin(async move { drop(key.ended().await) })
        })
    }

    /// Returns when the response must end.
    pub(crate) fn wait(&self) -> BoxFuture<'static, ()> {
        (self.0)()
    }
}

/// Makes a response that takes a slow client some time end with the key that it was requested with.
pub(crate) fn end_with_key(response: &mut Response, key: impl FnOnce() -> KeyWatch) {
    let is_long = response.body().size_hint().upper().is_none_or(|bytes| bytes > UNWATCHED_BYTES);
    if is_long && response.extensions().get::<EndSignal>().is_none() {
        response.extensions_mut().insert(EndSignal::at_the_end_of(key()));
    }
}
