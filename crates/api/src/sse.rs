//! Server-sent events: frames on a response that stays open, with comments in between that keep it open.

use std::convert::Infallible;
use std::time::Duration;

use auris_domain::wire::JsonText;
use auris_service::access::KeyWatch;
use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use futures::{Stream, StreamExt};

use crate::end_signal::EndSignal;

/// How often a comment is sent when there is no event. Well below 60 seconds, after which nginx closes a silent
/// connection by default.
const HEARTBEAT: Duration = Duration::from_secs(15);
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Marks a response that may stay open for hours. `server::sse_handover` takes such responses from the HTTP library.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LongLived;

/// One event: its type and its data on one line, and an id if the stream can be resumed after it.
pub(crate) fn frame(id: Option<i64>, event: &str, data: &JsonText) -> Bytes {
    let id = id.map_or_else(String::new, |id| format!("id: {id}\n"));
    let head = format!("{id}event: {event}\ndata: ");
    [head.as_str(), data.as_str(), "\n\n"].concat().into()
}

/// The last frame of a transcription stream that is complete; OpenAI's client libraries wait for it.
pub(crate) fn done() -> Bytes {
    Bytes::from_static(b"data: [DONE]\n\n")
}

/// A response that stays open until the frames end, or until the key that it was requested with ends.
pub(crate) fn response(frames: impl Stream<Item = Bytes> + Send + 'static, key: KeyWatch) -> Response {
    let mut response = Response::new(Body::from_stream(with_heartbeat(frames).map(Ok::<_, Infallible>)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    headers.insert(ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response.extensions_mut().insert(EndSignal::at_the_end_of(key));
    response
}

/// A response that may stay open for hours, most of the time without an event.
pub(crate) fn long_lived_response(
    frames: impl Stream<Item = Bytes> + Send + 'static,
    key: KeyWatch,
) -> Response {
    let mut response = response(frames, key);
    response.extensions_mut().insert(LongLived);
    response
}

fn with_heartbeat(frames: impl Stream<Item = Bytes> + Send + 'static) -> impl Stream<Item = Bytes> + Send {
    let frames = Box::pin(frames);
    futures::stream::unfold(frames, |mut frames| async move {
        match tokio::time::timeout(HEARTBEAT, frames.next()).await {
            Ok(Some(frame)) => Some((frame, frames)),
            Ok(None) => None,
            Err(_) => Some((Bytes::from_static(b": still here\n\n"), frames)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_frame_has_one_line_each_for_id_type_and_data() {
        let bytes = frame(Some(3), "job.queued", &JsonText::of(&json!({"text": "a\nb"})));
        assert_eq!(&bytes[..], b"id: 3\nevent: job.queued\ndata: {\"text\":\"a\\nb\"}\n\n");
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_without_events_sends_comments() {
        let mut frames = Box::pin(with_heartbeat(futures::stream::pending()));
        assert_eq!(&frames.next().await.unwrap()[..], b": still here\n\n");
        assert_eq!(&frames.next().await.unwrap()[..], b": still here\n\n");
    }
}
