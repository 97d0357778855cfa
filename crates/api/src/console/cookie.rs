//! The session cookie.
//!
//! Behind https its name begins with `__Host-`: browsers accept such a cookie only from this very host, so no other host
//! of the same domain can put its own session in front of the visitor's.

use auris_domain::secret::SessionSecret;
use auris_domain::session::SESSION_SECONDS;
use axum::http::{HeaderMap, header};

const NAME: &str = "auris_session";
const HTTPS_NAME: &str = "__Host-auris_session";

/// The value of the session cookie that a request sent.
pub(super) fn read(headers: &HeaderMap, is_https: bool) -> Option<&str> {
    let wanted = name(is_https);
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value)
}

/// The cookie of a new session.
pub(super) fn set(secret: &SessionSecret, is_https: bool) -> String {
    let (name, attributes) = (name(is_https), attributes(is_https));
    format!("{name}={}; Max-Age={SESSION_SECONDS}{attributes}", secret.reveal())
}

/// The cookie that removes the session's cookie.
pub(super) fn clear(is_https: bool) -> String {
    format!("{}=; Max-Age=0{}", name(is_https), attributes(is_https))
}

fn name(is_https: bool) -> &'static str {
    if is_https { HTTPS_NAME } else { NAME }
}

fn attributes(is_https: bool) -> &'static str {
    match is_https {
        true => "; Path=/; HttpOnly; SameSite=Strict; Secure",
        false => "; Path=/; HttpOnly; SameSite=Strict",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn the_session_is_found_among_other_cookies() {
        let mut headers = HeaderMap::new();
        assert_eq!(read(&headers, false), None);
        headers.insert(header::COOKIE, HeaderValue::from_static("a=b; auris_session=cs-1; c=d"));
        assert_eq!(read(&headers, false), Some("cs-1"));
        headers.insert(header::COOKIE, HeaderValue::from_static("not_auris_session=cs-1"));
        assert_eq!(read(&headers, false), None);
    }

    #[test]
    fn behind_https_only_a_cookie_of_this_host_counts() {
        let planted = "auris_session=cs-planted; __Host-auris_session=cs-1";
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, HeaderValue::from_static(planted));
        assert_eq!(read(&headers, true), Some("cs-1"));
        headers.insert(header::COOKIE, HeaderValue::from_static("auris_session=cs-planted"));
        assert_eq!(read(&headers, true), None);
    }

    #[test]
    fn a_cookie_is_for_this_site_only_and_not_for_scripts() {
        let cookie = set(&SessionSecret::generate(), false);
        assert!(cookie.contains("; HttpOnly; SameSite=Strict") && !cookie.contains("Secure"), "{cookie}");
        let cookie = set(&SessionSecret::generate(), true);
        // What browsers demand of this prefix.
        assert!(cookie.starts_with("__Host-auris_session=cs-") && cookie.ends_with("; Secure"), "{cookie}");
        assert!(cookie.contains("; Path=/;") && !cookie.contains("Domain"), "{cookie}");
        assert!(clear(true).starts_with("__Host-auris_session=; Max-Age=0; Path=/"));
        assert!(clear(false).starts_with("auris_session=; Max-Age=0; Path=/"));
    }
}
