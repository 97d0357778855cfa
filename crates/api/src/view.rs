//! Successful responses: JSON, stored answers, redirects, downloads and static pages.

use auris_domain::wire::JsonText;
use auris_service::StoredResponse;
use auris_service::access::Replayable;
use auris_service::jobs::{Content, file_name};
use axum::body::{Body, Bytes};
use axum::http::header::InvalidHeaderValue;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;

use crate::console_files::ConsoleFile;
use crate::content_disposition::{Disposition, content_disposition};

/// Attached to a response whose body holds the memory that was reserved for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryHeld;

/// Attached to a response to somebody who is signed in. Some cannot be requested again, such as a new key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ForVisitor;

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
/// Only our own files may run on a page that we serve, and no other site may embed it.
const PAGE_POLICY: &str = "default-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

/// The console runs only its own files, sends requests only to this service, and no other site may embed it. `blob:` is
/// for recordings from the microphone before they are sent.
const CONSOLE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
     media-src 'self' blob:; connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; \
     base-uri 'none'";

#[derive(Serialize)]
struct List<'a, T> {
    object: &'static str,
    data: &'a [T],
}

#[derive(Serialize)]
struct Page<'a, T> {
    object: &'static str,
    data: &'a [T],
    has_more: bool,
    last_id: Option<&'a str>,
}

#[derive(Serialize)]
struct Deleted {
    deleted: bool,
}

/// A JSON response. Every JSON body that is not a stored answer passes here, already written and never copied.
pub(crate) fn json(status: StatusCode, body: JsonText) -> Response {
    bytes(status, "application/json", body.into_string())
}

/// A JSON response whose body holds the memory that was reserved for it.
pub(crate) fn held_json(status: StatusCode, body: Bytes) -> Response {
    let mut response = bytes(status, "application/json", body);
    response.extensions_mut().insert(MemoryHeld);
    response
}

/// A body of any content type.
pub(crate) fn bytes(status: StatusCode, content_type: &str, body: impl Into<Body>) -> Response {
    let mut response = empty(status);
    *response.body_mut() = body.into();
    let fallback = HeaderValue::from_static("application/octet-stream");
    let value = HeaderValue::from_str(content_type).unwrap_or(fallback);
    response.headers_mut().insert(header::CONTENT_TYPE, value);
    response
}

/// The response to a successful deletion.
pub(crate) fn deleted() -> Response {
    json(StatusCode::OK, JsonText::of(&Deleted { deleted: true }))
}

/// A new answer with the given status, or the replay of an earlier one.
pub(crate) fn answered(status: StatusCode, answered: Replayable<JsonText>) -> Response {
    match answered {
        Replayable::New(body) => json(status, body),
        Replayable::Replayed(answer) => replayed(answer),
    }
}

/// An answer in the form in which idempotency keys store it.
pub(crate) fn stored(answer: StoredResponse) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    bytes(status, &answer.content_type, answer.body)
}

/// An earlier answer, marked as a replay.
pub(crate) fn replayed(answer: StoredResponse) -> Response {
    let mut response = stored(answer);
    response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    response
}

/// Whether a response is the replay of an earlier one.
pub(crate) fn is_replay(response: &Response) -> bool {
    response.headers().contains_key(REPLAYED)
}

/// A temporary redirect, which no cache may keep because its target expires. Fails if the location cannot be a header.
pub(crate) fn redirect(location: &str) -> Result<Response, InvalidHeaderValue> {
    let mut response = empty(StatusCode::FOUND);
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_str(location)?);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// A download of a whole file.
pub(crate) fn file(content: Content) -> Response {
    download(StatusCode::OK, content)
}

/// A download of a part of a file.
pub(crate) fn file_range(content: Content) -> Response {
    let range = &content.blob.range;
    let content_range =
        format!("bytes {}-{}/{}", range.start, range.end.saturating_sub(1), content.blob.size);
    let mut response = download(StatusCode::PARTIAL_CONTENT, content);
    set(&mut response, header::CONTENT_RANGE, &content_range);
    response
}

/// The response to a range that lies outside a file of this size. It has no body.
pub(crate) fn range_not_satisfiable(size: u64) -> Response {
    let mut response = empty(StatusCode::RANGE_NOT_SATISFIABLE);
    set(&mut response, header::CONTENT_RANGE, &format!("bytes */{size}"));
    response
}

fn download(status: StatusCode, content: Content) -> Response {
    let length = content.blob.range.end - content.blob.range.start;
    let disposition = format!("attachment; filename=\"{}\"", file_name(&content.artifact));
    let mut response = bytes(status, "application/octet-stream", Body::from_stream(content.blob.stream));
    set(&mut response, header::CONTENT_LENGTH, &length.to_string());
    set(&mut response, header::CONTENT_DISPOSITION, &disposition);
    set(&mut response, header::ACCEPT_RANGES, "bytes");
    set(&mut response, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(&mut response, header::CACHE_CONTROL, "private, no-store");
    response
}

/// A file of the documentation page, with the headers that protect a browser.
pub(crate) fn page(content_type: &str, text: &'static str) -> Response {
    let mut response = bytes(StatusCode::OK, content_type, Bytes::from_static(text.as_bytes()));
    set(&mut response, header::CONTENT_SECURITY_POLICY, PAGE_POLICY);
    set(&mut response, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(&mut response, header::REFERRER_POLICY, "no-referrer");
    response
}

/// A list without pages.
pub(crate) fn list<T: Serialize>(data: &[T]) -> JsonText {
    JsonText::of(&List { object: "list", data })
}

/// A page of a list that can be continued.
pub(crate) fn list_page<T: Serialize>(data: &[T], has_more: bool, last_id: Option<&str>) -> JsonText {
    JsonText::of(&Page { object: "list", data, has_more, last_id })
}

/// Keeps a response out of caches, unless it has its own rule for them, and lets no browser guess its type.
pub(crate) fn private(mut response: Response) -> Response {
    if !response.headers().contains_key(header::CACHE_CONTROL) {
        set(&mut response, header::CACHE_CONTROL, "private, no-store");
    }
    set(&mut response, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    response
}

/// A response to somebody who is signed in: their connection stays open until it is sent.
pub(crate) fn for_visitor(mut response: Response) -> Response {
    response.extensions_mut().insert(ForVisitor);
    response
}

/// A response that sets a cookie.
pub(crate) fn with_cookie(mut response: Response, cookie: &str) -> Response {
    set(&mut response, header::SET_COOKIE, cookie);
    response
}

/// A small text to be saved as a file.
pub(crate) fn attachment(content_type: &str, name: &str, text: Vec<u8>) -> Response {
    let mut response = bytes(StatusCode::OK, content_type, text);
    set(&mut response, header::CONTENT_DISPOSITION, &format!("attachment; filename=\"{name}\""));
    response
}

/// A download under this name.
pub(crate) fn named(mut response: Response, name: &str) -> Response {
    set(&mut response, header::CONTENT_DISPOSITION, &content_disposition(Disposition::Attachment, name));
    response
}

/// A download that a browser may play.
pub(crate) fn played(mut response: Response, media_type: &str, name: &str) -> Response {
    set(&mut response, header::CONTENT_TYPE, media_type);
    set(&mut response, header::CONTENT_DISPOSITION, &content_disposition(Disposition::Inline, name));
    // A document with the type of a recording must do nothing.
    set(&mut response, header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox");
    response
}

/// A file of the console's pages, compressed if the browser accepts that.
pub(crate) fn console_file(file: &ConsoleFile, gzipped: Option<&'static [u8]>) -> Response {
    let body = Bytes::from_static(gzipped.unwrap_or(file.bytes));
    let mut response = bytes(StatusCode::OK, file.content_type, body);
    if gzipped.is_some() {
        set(&mut response, header::CONTENT_ENCODING, "gzip");
    }
    let caching = if file.is_immutable { "public, max-age=31536000, immutable" } else { "no-cache" };
    set(&mut response, header::CACHE_CONTROL, caching);
    set(&mut response, header::VARY, "Accept-Encoding");
    set(&mut response, header::CONTENT_SECURITY_POLICY, CONSOLE_POLICY);
    set(&mut response, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(&mut response, header::X_FRAME_OPTIONS, "DENY");
    set(&mut response, header::REFERRER_POLICY, "no-referrer");
    response
}

/// Separates a page from windows of other sites that opened it or that it opened. Only for https: elsewhere browsers
/// ignore the header with a warning.
pub(crate) fn apart_from_other_windows(mut response: Response) -> Response {
    set(&mut response, OPENER_POLICY, "same-origin");
    response
}

fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// Sets a header to a value that we wrote ourselves; one that cannot be a header is left out.
fn set(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}
