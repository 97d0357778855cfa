//! The console's pages: files that `scripts/console` built and that are part of the binary.

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, Uri, header};
use axum::response::Response;
use axum::routing::get;

use super::browser::Browser;
use crate::console_files::{DOCUMENT, FILES, gzipped};
use crate::handlers::not_found;
use crate::state::ApiState;
use crate::view;

/// The addresses of pages. All of them are the same document, which shows the page of its address.
const PAGES: [&str; 9] =
    ["/", "/sign-in", "/jobs", "/jobs/{jobId}", "/models", "/webhooks", "/usage", "/projects", "/system"];

pub(super) fn routes() -> Router<ApiState> {
    let pages = PAGES.iter().fold(Router::new(), |routes, page| routes.route(page, get(document)));
    pages.route("/assets/{file}", get(asset))
}

async fn document(browser: Browser, headers: HeaderMap, uri: Uri) -> Response {
    let page = serve(DOCUMENT, &headers, uri).await;
    if browser.is_https { view::apart_from_other_windows(page) } else { page }
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

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted =
        headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
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
    fn compressed_files_are_for_those_who_accept_them() {
        let mut headers = HeaderMap::new();
        assert!(!accepts_gzip(&headers));
        let texts =
            [("gzip, deflate, br", true), ("gzip;q=0.5", true), ("gzip;q=0, br", false), ("gzipped", false)];
        for (text, expected) in texts {
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
            assert_eq!(accepts_gzip(&headers), expected, "{text}");
        }
    }
}
