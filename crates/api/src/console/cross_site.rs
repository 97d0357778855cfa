//! Refuses changes that another site's page asks a signed-in browser for.
//!
//! A browser sends the session cookie only from our own pages (`SameSite=Strict`). This is the second defense: a foreign
//! page cannot send the header without a permission that this service never gives.

use auris_domain::error::{ApiError, Checked, ErrorCode};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::error::api_error;

const CONSOLE_HEADER: &str = "x-auris-console";
const FETCH_SITE: &str = "sec-fetch-site";

/// Runs the request unless it changes something and may come from another site.
pub(super) async fn refuse(request: Request, next: Next) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    match check(request.headers(), request.uri().host()) {
        Ok(()) => next.run(request).await,
        Err(error) => api_error(&error),
    }
}

fn check(headers: &HeaderMap, authority: Option<&str>) -> Checked<()> {
    let text = |name: &str| headers.get(name).map(HeaderValue::as_bytes);
    if text(CONSOLE_HEADER) != Some(b"1") {
        let message = "Requests that change something must send the header `X-Auris-Console: 1`.";
        return Err(ApiError::new(ErrorCode::MissingConsoleHeader, message).at("X-Auris-Console"));
    }
    let site = text(FETCH_SITE);
    if site.is_some_and(|site| site != b"same-origin" && site != b"none") {
        return Err(foreign("Sec-Fetch-Site"));
    }
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).or(authority);
    match headers.get(header::ORIGIN) {
        None => Ok(()),
        Some(origin) if is_own(origin, host) => Ok(()),
        Some(_) => Err(foreign("Origin")),
    }
}

/// Whether the origin has the host and port that the request was sent to. The scheme may differ behind a proxy.
fn is_own(origin: &HeaderValue, host: Option<&str>) -> bool {
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    matches!((origin, host), (Some((_, own)), Some(host)) if own.eq_ignore_ascii_case(host))
}

fn foreign(header: &str) -> ApiError {
    let message = "The request comes from a page of another site; use the console's own pages.";
    ApiError::new(ErrorCode::ForeignOrigin, message).at(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(headers: &[(&'static str, &'static str)]) -> Option<ErrorCode> {
        let headers = headers.iter().map(|(name, value)| {
            (name.parse::<header::HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap())
        });
        check(&headers.collect(), None).err().map(|error| error.code)
    }

    #[test]
    fn a_change_needs_the_header_and_must_not_come_from_another_origin() {
        let host = ("host", "127.0.0.1:8080");
        let console = (CONSOLE_HEADER, "1");
        assert_eq!(checked(&[host]), Some(ErrorCode::MissingConsoleHeader));
        assert_eq!(checked(&[host, console]), None);
        assert_eq!(checked(&[host, console, ("origin", "http://127.0.0.1:8080")]), None);
        assert_eq!(checked(&[host, console, ("origin", "https://127.0.0.1:8080")]), None);
        for foreign in ["http://evil.example", "http://127.0.0.1:8081", "null", "http://127.0.0.1"] {
            assert_eq!(
                checked(&[host, console, ("origin", foreign)]),
                Some(ErrorCode::ForeignOrigin),
                "{foreign}"
            );
        }
        assert_eq!(checked(&[host, console, (FETCH_SITE, "cross-site")]), Some(ErrorCode::ForeignOrigin));
        assert_eq!(checked(&[host, console, (FETCH_SITE, "same-site")]), Some(ErrorCode::ForeignOrigin));
        assert_eq!(checked(&[host, console, (FETCH_SITE, "same-origin")]), None);
    }
}
