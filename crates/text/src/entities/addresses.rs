//! E-mail and web addresses, written or spelled out in speech.

use std::ops::Range;

use linkify::{LinkFinder, LinkKind};

use super::found::{Found, span};
use super::kinds::EntityKind;
use crate::words::{Kind, Token};

/// Top-level domains of written addresses without a scheme. Others are mostly file names and missing spaces, such as
/// `main.rs` and `end.Next`.
const WRITTEN_DOMAINS: [&str; 13] =
    ["com", "org", "net", "edu", "gov", "io", "co", "uk", "de", "fr", "eu", "ai", "app"];
/// Top-level domains of spelled addresses.
const SPOKEN_DOMAINS: [&str; 19] = [
    "com", "org", "net", "edu", "gov", "io", "co", "uk", "de", "fr", "eu", "ai", "app", "dev", "info", "biz",
    "us", "ca", "tv",
];

/// The addresses of a sentence.
pub(super) fn find(text: &str, tokens: &[Token]) -> Vec<Found> {
    let written = written(text, tokens);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let start = tokens[at].range.start;
        let (end, next) = match written.iter().find(|address| address.range.start == start) {
            Some(address) => (token_at(tokens, address.range.end), Some(address.clone())),
            None => match spelled(tokens, at) {
                Some((end, address)) => (end, Some(address)),
                None => (at + 1, None),
            },
        };
        found.extend(next);
        at = end;
    }
    found
}

/// The first token at or after a byte.
fn token_at(tokens: &[Token], byte: usize) -> usize {
    tokens.partition_point(|token| token.range.start < byte)
}

fn written(text: &str, tokens: &[Token]) -> Vec<Found> {
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

/// `anna at example dot com`, `example dot com`: the address and the token after it.
fn spelled(tokens: &[Token], at: usize) -> Option<(usize, Found)> {
    let is_word = |at: usize| tokens.get(at).is_some_and(|token| token.kind != Kind::Sign);
    let is = |at: usize, what: &str| tokens.get(at).is_some_and(|token| token.is(what));
    let end_of_dotted = |mut at: usize| {
        while is(at + 1, "dot") && is_word(at + 2) {
            at += 2;
        }
        at + 1
    };
    if !is_word(at) || is(at, "dot") {
        return None;
    }
    let local_end = end_of_dotted(at);
    let is_mail = is(local_end, "at") && is_word(local_end + 1);
    let end = if is_mail { end_of_dotted(local_end + 1) } else { local_end };
    let host = if is_mail { local_end + 1 } else { at };
    let has_domain = end > host + 1
        && tokens.get(end - 1).is_some_and(|last| SPOKEN_DOMAINS.contains(&last.lower.as_str()));
    let kind = if is_mail { EntityKind::Email } else { EntityKind::Url };
    let range: Range<usize> = span(tokens, &(at..end));
    has_domain.then_some((end, Found { range, kind, confidence: 0.85 }))
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

    #[test]
    fn spelled_addresses_are_found() {
        assert_eq!(
            addresses("It's bob at example dot org or example dot com."),
            [("bob at example dot org", EntityKind::Email), ("example dot com", EntityKind::Url)]
        );
    }
}
