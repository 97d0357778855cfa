//! JSON bodies: checks their content type, size and memory, then parses them strictly.

use std::time::Duration;

use auris_domain::error::{ApiError, Checked, ErrorCode};
use auris_domain::request::json::{self, RawJson};
use auris_service::ServiceError;
use axum::body::Body;
use axum::http::{HeaderMap, header};
use futures::StreamExt;

use super::content_type::has_content_type;
use crate::body_memory::{BodyMemory, Reservation};
use crate::request_body;

/// How long a body may take to arrive. It holds memory in the meantime, and a slow sender must not lock others out.
const READ_TIMEOUT: Duration = Duration::from_secs(600);

/// A JSON body that was received and not parsed yet.
#[derive(Debug)]
pub(crate) struct JsonBody {
    bytes: Vec<u8>,
    reservation: Reservation,
}

impl JsonBody {
    /// Reads a body of at most `limit` bytes into memory.
    pub(crate) async fn receive(
        memory: &BodyMemory,
        headers: &HeaderMap,
        body: Body,
        limit: usize,
    ) -> Checked<Self> {
        check_content_type(headers)?;
        let declared = declared_length(headers);
        if declared > limit {
            return Err(too_large(limit));
        }
        let reservation = memory.reserve(declared).await?;
        let reading = read(memory, reservation, body, limit);
        tokio::time::timeout(READ_TIMEOUT, reading).await.unwrap_or_else(|_| Err(too_slow()))
    }

    /// Parses the body and checks it, on a thread for blocking work because a large body takes long. Returns the
    /// body's memory reservation with the result.
    pub(crate) async fn check<T: Send + 'static>(
        self,
        check: impl FnOnce(RawJson<'_>) -> Checked<T> + Send + 'static,
    ) -> Result<(T, Reservation), ServiceError> {
        let Self { bytes, reservation } = self;
        let checking = tokio::task::spawn_blocking(move || {
            let checked = check(json::parse_strict(&bytes)?)?;
            Ok((checked, reservation))
        });
        checking.await.map_err(ServiceError::internal)?.map_err(ServiceError::Refused)
    }
}

fn check_content_type(headers: &HeaderMap) -> Checked<()> {
    if has_content_type(headers, "application/json") {
        return Ok(());
    }
    let message = "The body must be JSON; send the header `Content-Type: application/json`.";
    Err(ApiError::new(ErrorCode::InvalidContentType, message).at("Content-Type"))
}

/// The `Content-Length`. A chunked body has none; its reservation grows while it is read.
fn declared_length(headers: &HeaderMap) -> usize {
    let text = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    text.and_then(|text| text.parse().ok()).unwrap_or_default()
}

async fn read(
    memory: &BodyMemory,
    mut reservation: Reservation,
    body: Body,
    limit: usize,
) -> Checked<JsonBody> {
    let mut stream = body.into_data_stream();
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| unreadable(&error))?;
        let length = bytes.len() + chunk.len();
        if length > limit {
            return Err(too_large(limit));
        }
        memory.grow(&mut reservation, length).await?;
        bytes.extend_from_slice(&chunk);
    }
    Ok(JsonBody { bytes, reservation })
}

fn unreadable(error: &axum::Error) -> ApiError {
    let message = format!("The body cannot be read: {}.", request_body::explain(error));
    ApiError::new(ErrorCode::InvalidJson, message)
}

fn too_slow() -> ApiError {
    let message = format!("The body did not arrive within {} seconds.", READ_TIMEOUT.as_secs());
    ApiError::new(ErrorCode::InvalidJson, message)
}

fn too_large(limit: usize) -> ApiError {
    let message = format!("The body is larger than {limit} bytes, the maximum for this endpoint.");
    ApiError::new(ErrorCode::BodyTooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn receive(headers: &[(&'static str, &'static str)], body: &'static str) -> Checked<JsonBody> {
        let headers = headers.iter().map(|(name, value)| {
            (name.parse::<header::HeaderName>().unwrap(), value.parse::<header::HeaderValue>().unwrap())
        });
        JsonBody::receive(&BodyMemory::new(), &headers.collect(), Body::from(body), 10).await
    }

    #[tokio::test]
    async fn a_body_over_its_limit_is_refused_with_and_without_a_content_length() {
        let json = ("content-type", "application/json; charset=utf-8");
        let declared = receive(&[json, ("content-length", "11")], "").await.unwrap_err();
        assert_eq!(declared.code, ErrorCode::BodyTooLarge);
        let undeclared = receive(&[json], "{\"a\": 123456}").await.unwrap_err();
        assert_eq!(undeclared.code, ErrorCode::BodyTooLarge);
        let other = receive(&[("content-type", "text/plain")], "{}").await.unwrap_err();
        assert_eq!(other.code, ErrorCode::InvalidContentType);
    }

    #[tokio::test]
    async fn a_body_is_checked_after_parsing() {
        let body = receive(&[("content-type", "application/json")], "{\"a\": 1}").await.unwrap();
        let (value, _reservation) = body.check(|value| Ok(value.as_str().to_owned())).await.unwrap();
        assert_eq!(value, "{\"a\": 1}");
        let body = receive(&[("content-type", "application/json")], "{").await.unwrap();
        assert!(matches!(body.check(|_| Ok(())).await, Err(ServiceError::Refused(_))));
    }
}
