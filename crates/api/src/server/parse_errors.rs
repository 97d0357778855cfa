//! Our responses to requests that the HTTP library cannot parse.
//!
//! The library answers such requests itself, without a body and with statuses such as 414 and 431 that are not part of
//! the API. It has no option to change that, so `rewriting_socket` replaces the bytes.

use std::fmt::Write;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::RequestId;
use auris_domain::wire;
use axum::response::Response;

use super::limits::{HEAD_BYTES, HEAD_TIMEOUT, HEADERS};
use crate::error::api_error;
use crate::middleware::access_log::set_request_id;

/// Why the library refused a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParseError {
    Malformed,
    UriTooLong,
    HeadTooLarge,
    /// The library does not notice this; `rewriting_socket` does.
    HeadTooSlow,
}

impl ParseError {
    /// Recognizes the library's own error response; `None` for any other bytes.
    pub(super) fn from_response(head: &[u8]) -> Option<Self> {
        if !head.starts_with(b"HTTP/1.") {
            return None;
        }
        match head.get(9..12)? {
            b"400" => Some(Self::Malformed),
            b"414" => Some(Self::UriTooLong),
            b"431" => Some(Self::HeadTooLarge),
            _ => None,
        }
    }

    /// Our response as bytes, with the date of the library's response.
    pub(super) fn response(self, library_response: &[u8], id: &RequestId) -> Vec<u8> {
        let body = wire::error(&self.error()).into_string();
        let mut response = String::from("HTTP/1.1 400 Bad Request\r\n");
        if let Some(date) = date(library_response) {
            let _ = write!(response, "date: {date}\r\n");
        }
        let _ = write!(
            response,
            "content-type: application/json\r\ncontent-length: {}\r\nx-request-id: {id}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        response.into_bytes()
    }

    /// Our response to a request that the library has parsed.
    pub(super) fn into_response(self, id: &RequestId) -> Response {
        let mut response = api_error(&self.error());
        set_request_id(&mut response, id);
        response
    }

    fn error(self) -> ApiError {
        match self {
            Self::Malformed => {
                let message = "The request is not valid HTTP: its first line or a header cannot be parsed.";
                ApiError::new(ErrorCode::InvalidValue, message)
            }
            Self::UriTooLong => {
                let message = "The path and query of the request are longer than 65,534 bytes.";
                ApiError::new(ErrorCode::ValueTooLong, message)
            }
            Self::HeadTooLarge => {
                let message = format!(
                    "The first line and the headers of the request are longer than {HEAD_BYTES} bytes together, or it has more than {HEADERS} headers."
                );
                ApiError::new(ErrorCode::ValueTooLong, message)
            }
            Self::HeadTooSlow => {
                let seconds = HEAD_TIMEOUT.as_secs();
                let message = format!(
                    "The first line and the headers of the request did not arrive within {seconds} seconds."
                );
                ApiError::new(ErrorCode::InvalidValue, message)
            }
        }
    }
}

fn date(head: &[u8]) -> Option<&str> {
    let lines = std::str::from_utf8(head).ok()?.split("\r\n");
    lines.filter_map(|line| line.split_once(": ")).find(|(name, _)| *name == "date").map(|(_, date)| date)
}
