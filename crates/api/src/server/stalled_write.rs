//! Decides when to give up a client that does not accept the bytes of its response.

use std::time::Duration;

use futures::future::BoxFuture;

use crate::sse::EndSignal;

/// Returns when a client that has not accepted any bytes since the call must be given up: after the timeout, or at once
/// when its response must end. Boxed, because most writes never wait.
pub(super) fn given_up(timeout: Duration, end: Option<EndSignal>) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        let timed_out = tokio::time::sleep(timeout);
        match end {
            Some(end) => tokio::select! {
                () = timed_out => {}
                () = end.wait() => {}
            },
            None => timed_out.await,
        }
    })
}
