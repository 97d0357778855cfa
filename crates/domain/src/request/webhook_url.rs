//! Webhook URLs: `https`, or also `http` where the API allows it.

use super::check::Path;
use crate::error::{Checked, ErrorCode};
use crate::limits;

/// The schemes that a URL may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Schemes {
    Https,
    HttpOrHttps,
}

/// Returns the URL unchanged if deliveries can be sent to it.
pub(super) fn check(path: &Path<'_>, text: String, schemes: Schemes) -> Checked<String> {
    match fault(&text, schemes) {
        None => Ok(text),
        Some(fault) => Err(path.refuse(ErrorCode::InvalidWebhookUrl, format!("`{path}` {fault}."))),
    }
}

fn fault(text: &str, schemes: Schemes) -> Option<&'static str> {
    let Some(rest) = after_scheme(text, schemes) else {
        return Some(match schemes {
            Schemes::Https => "must begin with `https://`",
            Schemes::HttpOrHttps => "must begin with `https://` or `http://`",
        });
    };
    if text.chars().count() > limits::WEBHOOK_URL_CHARACTERS {
        return Some("must have at most 2048 characters");
    }
    if !has_uri_characters(text) {
        return Some(
            "must be a URI: percent-encode characters other than ASCII letters, digits and URI punctuation",
        );
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Some("must not contain credentials");
    }
    // The HTTP client uses the same parser, which reads `https:///a` as `https://a`.
    if authority.is_empty() || url::Url::parse(text).is_err() {
        return Some("must have a valid host");
    }
    None
}

fn after_scheme(text: &str, schemes: Schemes) -> Option<&str> {
    let secure = text.strip_prefix("https://");
    match schemes {
        Schemes::Https => secure,
        Schemes::HttpOrHttps => secure.or_else(|| text.strip_prefix("http://")),
    }
}

/// Whether the text has only the characters of RFC 3986, and two hexadecimal digits after each percent sign.
fn has_uri_characters(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_hex = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_hexdigit);
    bytes.iter().enumerate().all(|(index, byte)| match byte {
        b'%' => is_hex(index + 1) && is_hex(index + 2),
        b'-' | b'.' | b'_' | b'~' | b':' | b'/' | b'?' | b'#' | b'[' | b']' | b'@' => true,
        b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' => true,
        other => other.is_ascii_alphanumeric(),
    })
}
