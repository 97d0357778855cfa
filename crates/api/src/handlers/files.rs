//! `/files/{artifactId}`: the bytes behind a signed address, whole or a range of them.

use std::ops::Range;

use auris_domain::artifact::Artifact;
use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::ArtifactId;
use auris_service::artifacts::{Content, SignedAddress, file_name};
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::error::{Answer, Failure};
use crate::extract::PathId;
use crate::state::ApiState;

pub(crate) async fn read(
    State(state): State<ApiState>,
    PathId(artifact): PathId<ArtifactId>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Answer {
    let address = address(artifact, query.as_deref().unwrap_or_default())?;
    let artifact = state.service.open_signed(&address).await?;
    let wanted = headers.get(header::RANGE).and_then(|value| value.to_str().ok());
    match requested_range(wanted, artifact.bytes) {
        Requested::Whole => Ok(whole(state.service.read_content(artifact, None).await?)),
        Requested::Part(range) => Ok(part(state.service.read_content(artifact, Some(range)).await?)),
        Requested::Unsatisfiable => Ok(unsatisfiable(&artifact)),
    }
}

fn address(artifact: ArtifactId, query: &str) -> Result<SignedAddress, Failure> {
    let value = |name: &str| {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(key, _)| *key == name).map(|(_, value)| value.to_owned()).next()
    };
    let invalid =
        || ApiError::new(ErrorCode::SignatureInvalid, "The address is not one that this service signed.");
    let expires = value("expires").and_then(|text| text.parse().ok()).ok_or_else(invalid)?;
    Ok(SignedAddress { artifact, expires, signature: value("signature").ok_or_else(invalid)? })
}

#[derive(Debug, PartialEq)]
enum Requested {
    Whole,
    Part(Range<u64>),
    Unsatisfiable,
}

/// One range is honoured; several, or what cannot be read as a range, give the whole, as HTTP allows.
fn requested_range(header: Option<&str>, size: u64) -> Requested {
    let Some(spec) = header.and_then(|text| text.trim().strip_prefix("bytes=")) else {
        return Requested::Whole;
    };
    let Some((first, last)) = spec.split_once('-') else {
        return Requested::Whole;
    };
    let (first, last) = (first.trim(), last.trim());
    let range = match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => first..last.saturating_add(1).min(size),
        (Ok(first), Err(_)) if last.is_empty() => first..size,
        (Err(_), Ok(length)) if first.is_empty() => size.saturating_sub(length)..size,
        (Ok(_) | Err(_), Ok(_) | Err(_)) => return Requested::Whole,
    };
    if range.start < range.end { Requested::Part(range) } else { Requested::Unsatisfiable }
}

fn whole(content: Content) -> Response {
    respond(StatusCode::OK, content)
}

fn part(content: Content) -> Response {
    let (range, size) = (content.blob.range.clone(), content.blob.size);
    let mut response = respond(StatusCode::PARTIAL_CONTENT, content);
    let value = format!("bytes {}-{}/{size}", range.start, range.end.saturating_sub(1));
    set(&mut response, header::CONTENT_RANGE, &value);
    response
}

fn unsatisfiable(artifact: &Artifact) -> Response {
    let mut response = StatusCode::RANGE_NOT_SATISFIABLE.into_response();
    set(&mut response, header::CONTENT_RANGE, &format!("bytes */{}", artifact.bytes));
    response
}

fn respond(status: StatusCode, content: Content) -> Response {
    let length = content.blob.range.end - content.blob.range.start;
    let mut response = (status, Body::from_stream(content.blob.stream)).into_response();
    let name = format!("attachment; filename=\"{}\"", file_name(&content.artifact));
    set(&mut response, header::CONTENT_TYPE, "application/octet-stream");
    set(&mut response, header::CONTENT_LENGTH, &length.to_string());
    set(&mut response, header::CONTENT_DISPOSITION, &name);
    set(&mut response, header::ACCEPT_RANGES, "bytes");
    set(&mut response, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(&mut response, header::CACHE_CONTROL, "private, no-store");
    response
}

fn set(response: &mut Response, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_http_has_them() {
        assert_eq!(requested_range(None, 10), Requested::Whole);
        assert_eq!(requested_range(Some("bytes=0-3"), 10), Requested::Part(0..4));
        assert_eq!(requested_range(Some("bytes=4-"), 10), Requested::Part(4..10));
        assert_eq!(requested_range(Some("bytes=-4"), 10), Requested::Part(6..10));
        assert_eq!(requested_range(Some("bytes=0-99"), 10), Requested::Part(0..10));
        assert_eq!(requested_range(Some("bytes=10-"), 10), Requested::Unsatisfiable);
        assert_eq!(requested_range(Some("bytes=-0"), 10), Requested::Unsatisfiable);
        assert_eq!(requested_range(Some("bytes=5-2"), 10), Requested::Whole);
        assert_eq!(requested_range(Some("bytes=0-1,4-5"), 10), Requested::Whole);
        assert_eq!(requested_range(Some("lines=0-1"), 10), Requested::Whole);
    }
}
