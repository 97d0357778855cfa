//! Reads arbitrary bytes as the form of a transcription, in pieces of arbitrary lengths, as the service reads it.
//!
//! It finds panics, hangs, and headers that are larger than the limit.

#![no_main]

#[path = "../../crates/api/src/multipart/header_limit.rs"]
mod header_limit;

use auris_domain::request::TranscriptionFields;
use axum::body::{Body, Bytes};
use futures::stream;
use header_limit::LimitedBody;
use libfuzzer_sys::fuzz_target;
use multer::Multipart;

const BOUNDARY: &str = "b";

fuzz_target!(|bytes: &[u8]| {
    let Some((piece, form)) = bytes.split_first() else { return };
    let piece = usize::from(*piece).max(1);
    let pieces: Vec<Result<Bytes, std::io::Error>> =
        form.chunks(piece).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
    let _ = futures::executor::block_on(read(Body::from_stream(stream::iter(pieces))));
});

async fn read(body: Body) -> Result<(), multer::Error> {
    let (body, pending) = LimitedBody::new(body);
    let mut parts = Multipart::new(body, BOUNDARY);
    let mut fields = TranscriptionFields::default();
    while let Some(mut part) = parts.next_field().await? {
        pending.reset();
        let name = part.name().unwrap_or_default().to_owned();
        let mut value = Vec::new();
        while let Some(chunk) = part.chunk().await? {
            pending.reset();
            value.extend_from_slice(&chunk);
        }
        let _ = fields.set(&name, &value);
    }
    let _ = fields.finish();
    Ok(())
}
