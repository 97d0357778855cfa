//! The session cookie.

use auris_domain::secret::SessionSecret;
use auris_domain::session::SESSION_SECONDS;
use axum::http::{HeaderMap, header};

const NAME: &str = "auris_session";

/// The value of the session cookie that a request sent.
pub(super) fn read(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == NAME).map(|(_, value)| value)
}

/// The cookie of a new session.
pub(super) fn set(secret: &SessionSecret, is_https: bool) -> String {
    format!("{NAME}={}; Max-Age={SESSION_SECONDS}{}", secret.reveal(), attributes(is_https))
}

/// The cookie that removes the session's cookie.
pub(super) fn clear(is_https: bool) -> String {
    format!("{NAME}=; Max-Age=0{}", attributes(is_https))
}

fn attributes(is_https: bool) -> &'static str {
    match is_https {
        true => "; Path=/; HttpOnly; SameSite=Strict; Secure",
        false => "; Path=/; HttpOnly; SameSite=Strict",
    }
}

/// Whether the browser reached this service by https: through a proxy that says so.
pub(super) fn is_https(headers: &HeaderMap) -> bool {
    headers.get("x-forwarded-proto").is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"https"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn the_session_is_found_among_other_cookies() {
        let mut headers = HeaderMap::new();
        assert_eq!(read(&headers), None);
        headers.insert(header::COOKIE, HeaderValue::from_static("a=b; auris_session=cs-1; c=d"));
        assert_eq!(read(&headers), Some("cs-1"));
        headers.insert(header::COOKIE, HeaderValue::from_static("not_auris_session=cs-1"));
        assert_eq!(read(&headers), None);
    }

    #[test]
    fn a_cookie_is_for_this_site_only_and_not_for_scripts() {
        let cookie = set(&SessionSecret::generate(), false);
        assert!(cookie.contains("; HttpOnly; SameSite=Strict") && !cookie.contains("Secure"), "{cookie}");
        assert!(set(&SessionSecret::generate(), true).ends_with("; Secure"));
        assert!(clear(false).starts_with("auris_session=; Max-Age=0; Path=/"));
    }
}
