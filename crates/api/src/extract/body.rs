//! JSON bodies: the right content type, within a limit and the room that all bodies share, strictly read.

use std::time::Duration;

use auris_domain::error::{ApiError, Checked, ErrorCode};
use auris_domain::request::json;
use auris_service::ServiceError;
use axum::body::Body;
use axum::http::{HeaderMap, header};
use futures::StreamExt;
use serde_json::Value;

use crate::incoming;
use crate::room::{Place, Room};

/// A body that holds room for longer is given up, so that a slow sender cannot keep others out.
const READ_TIME: Duration = Duration::from_secs(600);

/// A JSON body as it came.
#[derive(Debug)]
pub(crate) struct JsonBody {
    bytes: Vec<u8>,
    place: Place,
}

impl JsonBody {
    /// Reads a whole body into memory.
    pub(crate) async fn receive(room: &Room, headers: &HeaderMap, body: Body, limit: usize) -> Checked<Self> {
        check_content_type(headers)?;
        let declared = declared_length(headers);
        if declared > limit {
            return Err(too_large(limit));
        }
        let place = room.take(declared).await?;
        let received = tokio::time::timeout(READ_TIME, read(room, place, body, limit)).await;
        received.unwrap_or_else(|_| {
            let message = format!("The body did not come within {} seconds.", READ_TIME.as_secs());
            Err(ApiError::new(ErrorCode::InvalidJson, message))
        })
    }

    /// Parses the body and checks it, on a thread where that may take long, and hands its place on with what came out.
    pub(crate) async fn check<T: Send + 'static>(
        self,
        check: impl FnOnce(Value) -> Checked<T> + Send + 'static,
    ) -> Result<(T, Place), ServiceError> {
        let Self { bytes, place } = self;
        let checked = tokio::task::spawn_blocking(move || {
            let value = json::parse_strict(&bytes)?;
            drop(bytes);
            Ok((check(value)?, place))
        });
        checked.await.map_err(ServiceError::internal)?.map_err(ServiceError::Refused)
    }
}

fn check_content_type(headers: &HeaderMap) -> Checked<()> {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let message = "The body must be JSON; send the header `Content-Type: application/json`.";
    Err(ApiError::new(ErrorCode::InvalidContentType, message).at("Content-Type"))
}

/// What the client says it sends; a body that comes in chunks says nothing and finds its room as it comes.
fn declared_length(headers: &HeaderMap) -> usize {
    let text = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    text.and_then(|text| text.parse().ok()).unwrap_or_default()
}

async fn read(room: &Room, mut place: Place, body: Body, limit: usize) -> Checked<JsonBody> {
    let mut stream = body.into_data_stream();
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| {
            let message = format!("The body cannot be read: {}.", incoming::explain(&error));
            ApiError::new(ErrorCode::InvalidJson, message)
        })?;
        if bytes.len() + chunk.len() > limit {
            return Err(too_large(limit));
        }
        room.widen(&mut place, bytes.len() + chunk.len()).await?;
        bytes.extend_from_slice(&chunk);
    }
    Ok(JsonBody { bytes, place })
}

fn too_large(limit: usize) -> ApiError {
    let message = format!("The body is larger than {limit} bytes, the most that this endpoint takes.");
    ApiError::new(ErrorCode::BodyTooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn receive(headers: &[(&'static str, &'static str)], body: &'static str) -> Checked<JsonBody> {
        let headers = headers.iter().map(|(name, value)| {
            (name.parse::<header::HeaderName>().unwrap(), value.parse::<header::HeaderValue>().unwrap())
        });
        JsonBody::receive(&Room::new(), &headers.collect(), Body::from(body), 10).await
    }

    #[tokio::test]
    async fn a_body_over_its_limit_is_refused_whether_declared_or_not() {
        let json = ("content-type", "application/json; charset=utf-8");
        let declared = receive(&[json, ("content-length", "11")], "").await.unwrap_err();
        assert_eq!(declared.code, ErrorCode::BodyTooLarge);
        let undeclared = receive(&[json], "{\"a\": 123456}").await.unwrap_err();
        assert_eq!(undeclared.code, ErrorCode::BodyTooLarge);
        let other = receive(&[("content-type", "text/plain")], "{}").await.unwrap_err();
        assert_eq!(other.code, ErrorCode::InvalidContentType);
    }

    #[tokio::test]
    async fn a_body_is_checked_after_it_was_parsed() {
        let body = receive(&[("content-type", "application/json")], "{\"a\": 1}").await.unwrap();
        let (value, _place) = body.check(|value| Ok(value["a"].as_i64())).await.unwrap();
        assert_eq!(value, Some(1));
        let body = receive(&[("content-type", "application/json")], "{").await.unwrap();
        assert!(matches!(body.check(Ok).await, Err(ServiceError::Refused(_))));
    }
}
