//! The answer to what is no HTTP request. The HTTP library has its own, without a body and with statuses that are not
//! in the contract, and no way to change it but on the wire.

use std::fmt::Write;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::RequestId;

use super::connection::{HEAD_BYTES, HEADERS};

/// What the library refuses a request for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Problem {
    Malformed,
    LongAddress,
    LargeHead,
}

impl Problem {
    /// Reads the library's own answer; nothing for other bytes.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        if !head.starts_with(b"HTTP/1.") {
            return None;
        }
        match head.get(9..12)? {
            b"400" => Some(Self::Malformed),
            b"414" => Some(Self::LongAddress),
            b"431" => Some(Self::LargeHead),
            _ => None,
        }
    }

    fn error(self) -> ApiError {
        let (code, message) = match self {
            Self::Malformed => (
                ErrorCode::InvalidValue,
                "The request is no valid HTTP: its first line or a header cannot be read.".to_owned(),
            ),
            Self::LongAddress => (
                ErrorCode::ValueTooLong,
                "The path and query of the request are longer than 65,534 bytes.".to_owned(),
            ),
            Self::LargeHead => (
                ErrorCode::ValueTooLong,
                format!(
                    "The request has more than {HEADERS} headers, or more than {HEAD_BYTES} bytes of them."
                ),
            ),
        };
        ApiError::new(code, message)
    }

    /// The whole answer as it goes over the wire, with the date of the library's own.
    pub(super) fn answer(self, head: &[u8], id: &RequestId) -> Vec<u8> {
        let body = self.error().body().to_string();
        let mut answer = String::from("HTTP/1.1 400 Bad Request\r\n");
        if let Some(date) = date(head) {
            let _ = write!(answer, "date: {date}\r\n");
        }
        let _ = write!(
            answer,
            "content-type: application/json\r\ncontent-length: {}\r\nx-request-id: {id}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        answer.into_bytes()
    }
}

fn date(head: &[u8]) -> Option<&str> {
    let lines = std::str::from_utf8(head).ok()?.split("\r\n");
    lines.filter_map(|line| line.split_once(": ")).find(|(name, _)| *name == "date").map(|(_, date)| date)
}
