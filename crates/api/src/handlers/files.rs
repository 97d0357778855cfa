//! `/files/{artifactId}`: downloads through a signed URL, of a whole file or one range of it.

use std::ops::Range;

use auris_domain::id::ArtifactId;
use auris_domain::request::SignedAddress;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, header};
use http_range_header::{
    EndPosition, RangeUnsatisfiableError, StartPosition, SyntacticallyCorrectRange, parse_range_header,
};

use crate::error::HandlerResult;
use crate::extract::PathId;
use crate::state::ApiState;
use crate::view;

pub(crate) async fn read(
    State(state): State<ApiState>,
    PathId(artifact): PathId<ArtifactId>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> HandlerResult {
    let address = SignedAddress::parse(artifact, query.as_deref().unwrap_or_default())?;
    let artifact = state.service.open_signed(&address).await?;
    let header = headers.get(header::RANGE).and_then(|value| value.to_str().ok());
    match requested_range(header, artifact.bytes) {
        RequestedRange::Whole => Ok(view::file(state.service.read_content(artifact, None).await?)),
        RequestedRange::Part(range) => {
            Ok(view::file_range(state.service.read_content(artifact, Some(range)).await?))
        }
        RequestedRange::Unsatisfiable => Ok(view::range_not_satisfiable(artifact.bytes)),
    }
}

/// What a `Range` header requests.
#[derive(Debug, PartialEq)]
pub(crate) enum RequestedRange {
    Whole,
    Part(Range<u64>),
    Unsatisfiable,
}

/// The range that a `Range` header requests. Several ranges, or a header that is not valid, get the whole file, as
/// RFC 9110 allows.
pub(crate) fn requested_range(header: Option<&str>, size: u64) -> RequestedRange {
    let Some(header) = header else { return RequestedRange::Whole };
    match parse_range_header(header.trim()) {
        Ok(parsed) => match parsed.ranges.as_slice() {
            [range] => resolve(*range, size),
            _ => RequestedRange::Whole,
        },
        Err(RangeUnsatisfiableError::ZeroSuffix) => RequestedRange::Unsatisfiable,
        Err(_) => RequestedRange::Whole,
    }
}

/// The bytes of one range. The crate's own `validate` is not used: it rejects a suffix longer than the file, for which
/// RFC 9110 asks for the whole file, and does not distinguish a reversed range from one past the end.
fn resolve(range: SyntacticallyCorrectRange, size: u64) -> RequestedRange {
    let bytes = match (range.start, range.end) {
        (StartPosition::Index(first), EndPosition::Index(last)) if last < first => {
            return RequestedRange::Whole;
        }
        (StartPosition::Index(first), EndPosition::Index(last)) => first..last.saturating_add(1).min(size),
        (StartPosition::Index(first), EndPosition::LastByte) => first..size,
        (StartPosition::FromLast(length), _) => size.saturating_sub(length)..size,
    };
    if bytes.is_empty() { RequestedRange::Unsatisfiable } else { RequestedRange::Part(bytes) }
}

#[cfg(test)]
mod tests {
    use super::RequestedRange::{Part, Unsatisfiable, Whole};
    use super::*;

    #[test]
    fn a_range_header_selects_bytes_as_in_rfc_9110() {
        let cases = [
            ("bytes=0-3", Part(0..4)),
            ("bytes=4-", Part(4..10)),
            ("bytes=-4", Part(6..10)),
            ("bytes=-99", Part(0..10)),
            ("bytes=0-99", Part(0..10)),
            ("bytes=10-", Unsatisfiable),
            ("bytes=12-15", Unsatisfiable),
            ("bytes=-0", Unsatisfiable),
            ("bytes=5-2", Whole),
            ("bytes=0-1,4-5", Whole),
            ("lines=0-1", Whole),
            ("bytes= 0-3", Whole),
            // RFC 9110 allows leading zeros and the parser does not. No client sends them.
            ("bytes=00-3", Whole),
        ];
        assert_eq!(requested_range(None, 10), Whole);
        for (header, expected) in cases {
            assert_eq!(requested_range(Some(header), 10), expected, "{header}");
        }
        assert_eq!(requested_range(Some("bytes=-4"), 0), Unsatisfiable);
    }
}
