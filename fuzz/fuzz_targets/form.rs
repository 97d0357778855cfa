//! Reads arbitrary bytes as the form of a transcription, in pieces of arbitrary lengths, with the reader of the service.
//!
//! It finds panics, hangs, headers and parts that are larger than their limits, and files that are in memory as a whole.

#![no_main]

#[path = "../../crates/api/src/content_type.rs"]
#[expect(dead_code, reason = "the reader of forms uses a part of it")]
mod content_type;
#[path = "../../crates/api/src/multipart/mod.rs"]
mod multipart;
#[path = "form/service.rs"]
mod service;

// The reader of the form finds the modules of the crates `auris_service` and `auris_api` here.
extern crate self as auris_service;
pub use service::{Caller, Service, ServiceError};
pub mod transcribe {
    pub use crate::service::Spool;
}
mod request_body {
    pub(crate) fn explain(error: &(dyn std::error::Error + 'static)) -> String {
        error.to_string()
    }
}

use std::io::{Error, ErrorKind};

use auris_domain::limits;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, header};
use futures::stream;
use libfuzzer_sys::fuzz_target;
use multipart::{FormFields, FormRequest};

/// The content type of an input that does not begin with one.
const CONTENT_TYPE: &[u8] = b"multipart/form-data; boundary=b";
/// Stands for many letters, so that a short input reaches the limits of parts and headers.
const MANY: u8 = 1;
const LETTERS: [u8; 8192] = [b'x'; 8192];
const LONGEST_BODY: usize = 1 << 18;

// The first byte is the length of the pieces. If it is odd, the form is that of the console; some lengths mean that the
// connection breaks. If the next bytes begin like a content type, their line is one.
fuzz_target!(|bytes: &[u8]| {
    let Some((piece, rest)) = bytes.split_first() else { return };
    let line_end = rest.iter().position(|byte| *byte == b'\n').filter(|_| rest.starts_with(b"multipart/"));
    let (content_type, form) = line_end.map_or((CONTENT_TYPE, rest), |end| (&rest[..end], &rest[end + 1..]));
    let Ok(content_type) = HeaderValue::from_bytes(content_type) else { return };
    let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, content_type)]);
    let fields = if piece % 2 == 1 { FormFields::Console } else { FormFields::Transcription };
    let body = body(form, usize::from(*piece).max(1), piece % 8 == 5);
    let read = multipart::read(&Service, &Caller, FormRequest { fields, headers, body });
    match futures::executor::block_on(read) {
        Ok(form) => {
            assert!(form.spool.bytes <= limits::ASYNC_FILE_BYTES);
            assert!(form.analysis.is_none_or(|text| text.len() <= limits::FORM_PART_BYTES));
            drop(form.request);
        }
        Err(ServiceError::Refused(_)) => {}
        Err(ServiceError::Internal(defect)) => panic!("{defect}"),
    }
});

/// A body in pieces, at the end of which the connection may break.
fn body(form: &[u8], piece: usize, breaks: bool) -> Body {
    let mut whole = Vec::new();
    for byte in form {
        match *byte {
            MANY => whole.extend_from_slice(&LETTERS),
            byte => whole.push(byte),
        }
        if whole.len() > LONGEST_BODY {
            break;
        }
    }
    let mut pieces: Vec<Result<Bytes, Error>> =
        whole.chunks(piece).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
    if breaks {
        pieces.push(Err(Error::from(ErrorKind::ConnectionReset)));
    }
    Body::from_stream(stream::iter(pieces))
}
