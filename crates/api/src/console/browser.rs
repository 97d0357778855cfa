//! How a browser reaches the console, and where it finds `/v1`.

use std::convert::Infallible;
use std::net::SocketAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderValue, Uri, header};

use crate::console_parts::ConsoleState;

/// The browser that sent a request.
pub(super) struct Browser {
    /// Whether it reaches the console by https.
    pub(super) is_https: bool,
    /// The URL of `/v1` for the calls that the pages offer to copy. `None`: the address of the console itself, under
    /// whatever name the browser knows it.
    pub(super) api_url: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for Browser {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let console = parts.extensions.get::<ConsoleState>();
        let is_https = is_https(&parts.extensions, &parts.headers);
        let public_url = console.and_then(|console| console.api_public_url.clone());
        let address = console.and_then(|console| console.api_address);
        let listening = || address.map(|address| api_url(address, &parts.headers, &parts.uri));
        Ok(Self { is_https, api_url: public_url.or_else(listening) })
    }
}

/// Whether the browser reached this service by https: as configured, or through a proxy that says so.
pub(super) fn is_https(extensions: &Extensions, headers: &HeaderMap) -> bool {
    let protocol = headers.get("x-forwarded-proto").map(HeaderValue::as_bytes);
    extensions.get::<ConsoleState>().is_some_and(|console| console.is_https)
        || protocol.is_some_and(|protocol| protocol.eq_ignore_ascii_case(b"https"))
}

/// The URL of the API that listens on `address`. If that is every address of the machine, the URL has the name by which
/// the visitor reached the machine.
fn api_url(address: SocketAddr, headers: &HeaderMap, uri: &Uri) -> String {
    let host =
        headers.get(header::HOST).and_then(|value| value.to_str().ok()).map(without_port).or(uri.host());
    match host.filter(|host| !host.is_empty()) {
        Some(host) if address.ip().is_unspecified() => format!("http://{host}:{}", address.port()),
        Some(_) | None => format!("http://{address}"),
    }
}

/// The colons of an IPv6 address are inside brackets, so the port is what follows the last colon outside of them.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => name,
        Some(_) | None => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(address: &str, host: &str) -> String {
        let headers = [(header::HOST, host.parse().unwrap())].into_iter().collect();
        api_url(address.parse().unwrap(), &headers, &Uri::from_static("/console/v1/session"))
    }

    #[test]
    fn one_address_is_named_and_any_address_has_the_name_that_the_visitor_used() {
        assert_eq!(url("10.0.0.7:8080", "console.example:8081"), "http://10.0.0.7:8080");
        assert_eq!(url("[2001:db8::1]:8080", "console.example"), "http://[2001:db8::1]:8080");
        assert_eq!(url("0.0.0.0:8080", "auris.example:8081"), "http://auris.example:8080");
        assert_eq!(url("0.0.0.0:8080", "auris.example"), "http://auris.example:8080");
        assert_eq!(url("[::]:8080", "[::1]:8081"), "http://[::1]:8080");
        assert_eq!(url("[::]:8080", "[::1]"), "http://[::1]:8080");
    }

    #[test]
    fn http_2_has_the_name_in_its_uri() {
        let uri = Uri::from_static("http://auris.example:8081/console/v1/session");
        let address = "0.0.0.0:8080".parse().unwrap();
        assert_eq!(api_url(address, &HeaderMap::new(), &uri), "http://auris.example:8080");
        assert_eq!(api_url(address, &HeaderMap::new(), &Uri::from_static("/")), "http://0.0.0.0:8080");
    }
}
