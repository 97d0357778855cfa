//! E-mail and web addresses as they are written.

use linkify::{LinkFinder, LinkKind};

use super::found::{Found, span};
use super::kinds::EntityKind;
use crate::words::Token;

/// Top-level domains of written addresses without a scheme. Others are mostly file names and missing spaces, such as
/// `main.rs` and `end.Next`.
const WRITTEN_DOMAINS: [&str; 13] =
    ["com", "org", "net", "edu", "gov", "io", "co", "uk", "de", "fr", "eu", "ai", "app"];

/// The addresses of a sentence.
pub(super) fn find(text: &str, tokens: &[Token]) -> Vec<Found> {
    let sentence = span(tokens, &(0..tokens.len()));
    let mut finder = LinkFinder::new();
    finder.url_must_have_scheme(false);
    let found = finder.links(&text[sentence.clone()]).filter_map(|link| {
        let kind = match link.kind() {
            LinkKind::Email => EntityKind::Email,
            LinkKind::Url if is_web_address(link.as_str()) => EntityKind::Url,
            _ => return None,
        };
        let range = sentence.start + link.start()..sentence.start + link.end();
        Some(Found { range, kind, confidence: 0.99 })
    });
    found.collect()
}

/// Whether a link has a web scheme, `www.` or a common top-level domain.
fn is_web_address(link: &str) -> bool {
    let lower = link.to_ascii_lowercase();
    if lower.contains("://") {
        return lower.starts_with("http://") || lower.starts_with("https://");
    }
    let domain = lower.split(['/', '?', ':', '#']).next().unwrap_or_default();
    let top_level = domain.rsplit('.').next().unwrap_or_default();
    domain.starts_with("www.") || WRITTEN_DOMAINS.contains(&top_level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::tokens;

    fn addresses(text: &str) -> Vec<(&str, EntityKind)> {
        let found = find(text, &tokens(text, 0..text.len()));
        found.into_iter().map(|found| (&text[found.range], found.kind)).collect()
    }

    #[test]
    fn written_addresses_are_found() {
        assert_eq!(
            addresses("Mail anna.b@example.com or see https://example.com/x."),
            [("anna.b@example.com", EntityKind::Email), ("https://example.com/x", EntityKind::Url)]
        );
        assert_eq!(
            addresses("It is on www.foo.ch and example.org/path?x=1, ok?"),
            [("www.foo.ch", EntityKind::Url), ("example.org/path?x=1", EntityKind::Url)]
        );
    }

    #[test]
    fn file_names_and_missing_spaces_are_not_addresses() {
        assert_eq!(addresses("I said.So it goes in main.rs, Node.js and file.txt, 3.5 of them."), []);
    }
}
