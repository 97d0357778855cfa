//! Request bodies: reading fails when the client stops sending or sends too slowly, and what no handler has read is
//! discarded.

#[cfg(test)]
mod tests;
mod timed_body;

use std::error::Error;
use std::time::Duration;

use auris_domain::limits;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Version, header};
use axum::response::Response;
use futures::StreamExt;

use self::timed_body::{Interruption, Progress, SharedBody};
use crate::content_type::has_content_type;
use crate::minimum_rate::MinimumRate;

/// JSON is kept in memory while it arrives, so it must arrive faster than a form.
const JSON_RATE: MinimumRate = MinimumRate::kib_per_second(32);
/// A form is written to disk. It often comes from a phone, whose line may be slow.
const FORM_RATE: MinimumRate = MinimumRate::kib_per_second(4);
/// Maximum bytes that are read and discarded after the response. More than the largest upload that the API accepts.
const DRAIN_BYTES: u64 = 128 * limits::MEGABYTE;
/// How long a body is read and discarded after the response.
const DRAIN_TIME: Duration = Duration::from_secs(20);

/// Explains to a client why its body could not be read.
pub(crate) fn explain(error: &(dyn Error + 'static)) -> String {
    let mut causes = std::iter::successors(Some(error), |&error| error.source());
    let interruption = causes.find_map(|cause| cause.downcast_ref::<Interruption>());
    interruption.map_or_else(
        || "the connection closed before the end of the body".to_owned(),
        Interruption::to_string,
    )
}

/// Gives access to the part of a body that the handler does not read.
pub(crate) struct UnreadBody {
    body: SharedBody,
    /// The client sends its body only after a `100 Continue`, which the HTTP library sends at the first read.
    awaits_continue: bool,
    is_http1: bool,
}

/// Puts the idle timeout and the minimum rate on a request's body. Returns `None` if there is no body.
pub(crate) fn watch(request: Request) -> (Request, Option<UnreadBody>) {
    if request.body().is_end_stream() {
        return (request, None);
    }
    let (parts, body) = request.into_parts();
    let body = SharedBody::new(body, minimum_rate(&parts.headers));
    let unread = UnreadBody {
        body: body.clone(),
        awaits_continue: awaits_continue(&parts.headers),
        is_http1: parts.version < Version::HTTP_2,
    };
    (Request::from_parts(parts, Body::from_stream(body)), Some(unread))
}

/// The minimum rate of a request with these headers. Every endpoint accepts only one content type.
fn minimum_rate(headers: &HeaderMap) -> MinimumRate {
    if has_content_type(headers, "multipart/form-data") { FORM_RATE } else { JSON_RATE }
}

fn awaits_continue(headers: &HeaderMap) -> bool {
    let expect = headers.get(header::EXPECT);
    expect.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

impl UnreadBody {
    /// Ends the body when the response is ready. If reading was interrupted, the connection closes after the response,
    /// because the rest of the body would come before the next request. HTTP/2 resets the stream instead.
    pub(crate) fn finish(self, response: &mut Response) {
        if self.is_http1 && self.body.progress() == Progress::Interrupted {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        self.drain();
    }

    /// Discards the rest of the body while the response is sent: many clients read the response only after they have
    /// sent everything.
    pub(crate) fn drain(self) {
        let has_rest = match self.body.progress() {
            Progress::Untouched => !self.awaits_continue,
            Progress::Begun => true,
            Progress::Interrupted | Progress::Ended => false,
        };
        if has_rest {
            tokio::spawn(tokio::time::timeout(DRAIN_TIME, discard(self.body)));
        }
    }
}

async fn discard(mut body: SharedBody) {
    let mut allowed = DRAIN_BYTES;
    while let Some(Ok(chunk)) = body.next().await {
        allowed = allowed.saturating_sub(chunk.len() as u64);
        if allowed == 0 {
            return;
        }
    }
}
