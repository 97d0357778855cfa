//! E-mail and web addresses, written or spelled out in speech.

use std::ops::Range;

use super::found::{Found, span};
use super::kinds::EntityKind;
use crate::words::{Kind, Token};

/// Top-level domains that people say. The first 13 also count in written text without a scheme.
const ENDINGS: [&str; 19] = [
    "com", "org", "net", "edu", "gov", "io", "co", "uk", "de", "fr", "eu", "ai", "app", "dev", "info", "biz",
    "us", "ca", "tv",
];

pub(super) fn find(text: &str, tokens: &[Token]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let next = written(text, tokens, at).or_else(|| spelled(tokens, at));
        at = next.as_ref().map_or(at + 1, |(end, _)| *end);
        found.extend(next.map(|(_, found)| found));
    }
    found
}

/// An address without white space, and the token after it.
fn written(text: &str, tokens: &[Token], at: usize) -> Option<(usize, Found)> {
    let first = tokens.get(at).filter(|token| token.kind != Kind::Sign)?;
    let mut last = at;
    while tokens.get(last + 1).is_some_and(|next| next.range.start == tokens[last].range.end) {
        last += 1;
    }
    let run = &text[first.range.start..tokens[last].range.end];
    let run = run.trim_end_matches(|letter: char| !letter.is_alphanumeric() && letter != '/');
    let kind = if is_mail(run) {
        EntityKind::Email
    } else if is_web(run) {
        EntityKind::Url
    } else {
        return None;
    };
    let range = first.range.start..first.range.start + run.len();
    let end = tokens.iter().position(|token| token.range.start >= range.end).unwrap_or(tokens.len());
    Some((end, Found { range, kind, confidence: 0.99 }))
}

fn is_mail(run: &str) -> bool {
    let Some((local, domain)) = run.split_once('@') else { return false };
    let plain = |letter: char| letter.is_alphanumeric() || "._%+-".contains(letter);
    !local.is_empty() && local.chars().all(plain) && is_domain(domain)
}

fn is_domain(domain: &str) -> bool {
    let labels: Vec<&str> = domain.split('.').collect();
    let label = |label: &&str| {
        !label.is_empty() && label.chars().all(|letter| letter.is_alphanumeric() || letter == '-')
    };
    labels.len() >= 2
        && labels.iter().all(label)
        && labels
            .last()
            .is_some_and(|last| last.len() >= 2 && last.chars().all(|letter| letter.is_ascii_alphabetic()))
}

fn is_web(run: &str) -> bool {
    let plain = run.to_ascii_lowercase();
    if let Some(rest) = plain.strip_prefix("https://").or_else(|| plain.strip_prefix("http://")) {
        return !rest.is_empty();
    }
    let domain = plain.split(['/', '?', ':']).next().unwrap_or_default();
    let known = domain.rsplit('.').next().is_some_and(|ending| ENDINGS[..13].contains(&ending));
    is_domain(domain) && (domain.starts_with("www.") || known && !domain.contains('@'))
}

/// `anna at example dot com`, `example dot com`.
fn spelled(tokens: &[Token], at: usize) -> Option<(usize, Found)> {
    let word = |at: usize| tokens.get(at).is_some_and(|token| token.kind != Kind::Sign);
    let is = |at: usize, what: &str| tokens.get(at).is_some_and(|token| token.is(what));
    let dotted = |mut at: usize| {
        while is(at + 1, "dot") && word(at + 2) {
            at += 2;
        }
        at + 1
    };
    if !word(at) || is(at, "dot") {
        return None;
    }
    let local = dotted(at);
    let mail = is(local, "at") && word(local + 1);
    let end = if mail { dotted(local + 1) } else { local };
    let host = if mail { local + 1 } else { at };
    let known =
        end > host + 1 && tokens.get(end - 1).is_some_and(|last| ENDINGS.contains(&last.lower.as_str()));
    let kind = if mail { EntityKind::Email } else { EntityKind::Url };
    let range: Range<usize> = span(tokens, &(at..end));
    known.then_some((end, Found { range, kind, confidence: 0.85 }))
}
