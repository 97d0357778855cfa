//! The console's pages: files that `scripts/console` built and that are part of the binary.

use std::io::Write;
use std::sync::OnceLock;

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, Uri, header};
use axum::response::Response;
use axum::routing::get;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::handlers::not_found;
use crate::state::ApiState;
use crate::view;

/// The addresses of pages. All of them are the same document, which shows the page of its address.
const PAGES: [&str; 9] =
    ["/", "/sign-in", "/jobs", "/jobs/{jobId}", "/models", "/webhooks", "/usage", "/projects", "/system"];
/// The document.
const DOCUMENT: &str = "index.html";

/// A file of the console.
pub(crate) struct ConsoleFile {
    pub(crate) path: &'static str,
    pub(crate) content_type: &'static str,
    /// Whether the name contains a hash of the content, so that browsers may keep it for ever.
    pub(crate) is_immutable: bool,
    pub(crate) bytes: &'static [u8],
}

include!("../../../../console/dist/files.rs");

pub(super) fn routes() -> Router<ApiState> {
    let pages = PAGES.iter().fold(Router::new(), |routes, page| routes.route(page, get(document)));
    pages.route("/assets/{file}", get(asset))
}

async fn document(headers: HeaderMap, uri: Uri) -> Response {
    serve(DOCUMENT, &headers, uri).await
}

async fn asset(Path(name): Path<String>, headers: HeaderMap, uri: Uri) -> Response {
    serve(&format!("assets/{name}"), &headers, uri).await
}

/// Only the files of the list exist, so no path can lead out of it.
async fn serve(path: &str, headers: &HeaderMap, uri: Uri) -> Response {
    match FILES.iter().position(|file| file.path == path) {
        Some(index) if accepts_gzip(headers) => view::console_file(&FILES[index], gzipped(index)),
        Some(index) => view::console_file(&FILES[index], None),
        None => not_found::path(uri).await,
    }
}

/// The compressed bytes of a file. All files are compressed at the first request, which takes some milliseconds, so that
/// the repository has no compressed copies that depend on the compressor's version.
fn gzipped(index: usize) -> Option<&'static [u8]> {
    static COMPRESSED: OnceLock<Vec<Option<Vec<u8>>>> = OnceLock::new();
    let all = COMPRESSED.get_or_init(|| FILES.iter().map(|file| gzip(file.bytes).ok()).collect());
    all.get(index)?.as_deref()
}

fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').any(|part| {
        let (name, quality) = part.split_once(';').unwrap_or((part, ""));
        let is_refused = matches!(quality.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000");
        name.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn every_file_of_the_list_has_a_type_and_the_document_exists() {
        assert!(FILES.iter().any(|file| file.path == DOCUMENT && !file.is_immutable));
        for file in FILES {
            assert!(!file.bytes.is_empty(), "{}", file.path);
            assert!(file.content_type.contains('/'), "{}", file.path);
        }
    }

    #[test]
    fn compressed_files_are_for_those_who_accept_them() {
        let mut headers = HeaderMap::new();
        assert!(!accepts_gzip(&headers));
        let texts = [("gzip, deflate, br", true), ("gzip;q=0.5", true), ("gzip;q=0, br", false), ("gzipped", false)];
        for (text, expected) in texts {
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
            assert_eq!(accepts_gzip(&headers), expected, "{text}");
        }
    }
}
