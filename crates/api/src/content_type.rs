//! The content type of a request, its character set and its encoding.

use auris_domain::error::{ApiError, Checked, ErrorCode};
use axum::http::{HeaderMap, header};

/// Whether the request has this content type, ignoring case and parameters such as `charset`.
pub(crate) fn has_content_type(headers: &HeaderMap, expected: &str) -> bool {
    content_type(headers).split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(expected)
}

/// The whole header with its parameters; empty if it is missing or not ASCII.
pub(crate) fn content_type(headers: &HeaderMap) -> &str {
    headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Refuses a text in another character set than UTF-8, which would be misread.
pub(crate) fn require_utf8(headers: &HeaderMap) -> Checked<()> {
    let parameters =
        content_type(headers).split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let charsets = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    match charsets.map(|(_, charset)| charset.trim().trim_matches('"')).find(|charset| !is_utf8(charset)) {
        None => Ok(()),
        Some(charset) => {
            let message = format!("The character set `{charset}` is not supported; send the body as UTF-8.");
            Err(ApiError::new(ErrorCode::InvalidContentType, message).at("Content-Type"))
        }
    }
}

fn is_utf8(charset: &str) -> bool {
    charset.eq_ignore_ascii_case("utf-8") || charset.eq_ignore_ascii_case("utf8")
}

/// Refuses a body that is compressed or encoded in another way.
pub(crate) fn require_no_encoding(headers: &HeaderMap) -> Checked<()> {
    for value in headers.get_all(header::CONTENT_ENCODING) {
        let text = value.to_str().unwrap_or("?");
        if let Some(encoding) = text.split(',').map(str::trim).find(|encoding| !is_plain(encoding)) {
            let message = format!("The encoding `{encoding}` is not supported; send the body uncompressed.");
            return Err(ApiError::new(ErrorCode::InvalidContentType, message).at("Content-Encoding"));
        }
    }
    Ok(())
}

fn is_plain(encoding: &str) -> bool {
    encoding.is_empty() || encoding.eq_ignore_ascii_case("identity")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, values: &[&'static str]) -> HeaderMap {
        let value = |text: &&'static str| (name.clone(), header::HeaderValue::from_static(text));
        values.iter().map(value).collect()
    }

    #[test]
    fn only_utf8_is_read() {
        for good in [
            "application/json",
            "application/json;",
            "application/json; charset=utf-8",
            "application/json;Charset=\"UTF-8\"",
            "application/json; version=1; charset=utf8",
        ] {
            assert!(require_utf8(&headers(header::CONTENT_TYPE, &[good])).is_ok(), "{good}");
        }
        for bad in [
            "application/json; charset=utf-16",
            "application/json; version=1; CHARSET=\"iso-8859-1\"",
            "application/json; charset=",
        ] {
            let error = require_utf8(&headers(header::CONTENT_TYPE, &[bad])).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidContentType, "{bad}");
            assert_eq!(error.param.as_deref(), Some("Content-Type"));
        }
    }

    #[test]
    fn an_encoded_body_is_refused() {
        assert!(require_no_encoding(&HeaderMap::new()).is_ok());
        for good in ["", "identity", "Identity, identity"] {
            assert!(require_no_encoding(&headers(header::CONTENT_ENCODING, &[good])).is_ok(), "{good}");
        }
        for bad in [&["gzip"][..], &["identity, br"], &["identity", "zstd"], &["nonsense"]] {
            let error = require_no_encoding(&headers(header::CONTENT_ENCODING, bad)).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidContentType, "{bad:?}");
            assert_eq!(error.param.as_deref(), Some("Content-Encoding"));
        }
    }
}
