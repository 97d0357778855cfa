//! E-mail and web addresses as spoken: `anna at example dot org`, `www dot example dot com slash help`.

use super::Reading;
use super::context;
use super::runs::Run;
use super::spelled_names::{Address, ORDINARY};
use crate::spoken::SpokenLine;
use crate::words::Kind;

/// Words before an address, beside function words.
const BEFORE: &[&str] = &[
    "address", "contact", "email", "emailed", "go", "mail", "message", "see", "send", "site", "use", "visit",
    "website", "write", "check", "visited", "try", "browse", "called", "find", "username", "com",
];

/// Words before `at` that are seldom the name of a mailbox: `look at`, `available at`.
const ORDINARY_BEFORE_AT: &[&str] = &[
    "apply",
    "available",
    "based",
    "book",
    "booking",
    "buy",
    "details",
    "donate",
    "download",
    "everyone",
    "folks",
    "follow",
    "found",
    "hosted",
    "information",
    "join",
    "learn",
    "listen",
    "live",
    "located",
    "look",
    "looked",
    "looking",
    "looks",
    "meet",
    "online",
    "order",
    "ordered",
    "people",
    "posted",
    "published",
    "read",
    "register",
    "sale",
    "sell",
    "shop",
    "shopping",
    "sign",
    "sold",
    "staff",
    "start",
    "stay",
    "stop",
    "store",
    "subscribe",
    "team",
    "tickets",
    "watch",
    "work",
    "worked",
    "working",
    "works",
    "written",
];
/// Words before a mailbox that is a single word.
const BEFORE_MAILBOX: &[&str] = &[
    "address", "and", "at", "cc", "contact", "email", "for", "from", "is", "it's", "mail", "me", "message",
    "or", "reach", "send", "to", "us", "via", "was", "with", "write", ":", ",",
];

/// An address that begins at a token.
pub(crate) fn find(line: SpokenLine<'_>, at: usize) -> Option<Reading> {
    if !is_free(line, at) {
        return None;
    }
    mail(line, at).or_else(|| web(line, at)).or_else(|| network(line, at))
}

/// Whether the word before does not belong to the address: `anna smith at example dot org` is unclear.
fn is_free(line: SpokenLine<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return true };
    let word = line.word(before);
    let sign = line.get(before).is_some_and(|token| token.kind == Kind::Sign);
    let owner = word == "at" && before.checked_sub(1).is_some_and(|owner| !may_be_found_at(line.word(owner)));
    let letter = word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let joining =
        letter || matches!(word, "dot" | "underscore" | "dash" | "hyphen" | "slash" | "-" | "." | "@" | "/");
    !joining && !owner && (sign || context::is_function_word(word) || BEFORE.contains(&word))
}

/// Whether something is found at an address, as in `visit us at`, and the word is not the name before an `@`.
fn may_be_found_at(word: &str) -> bool {
    context::is_function_word(word) && word.len() > 1
        || BEFORE.contains(&word)
        || ORDINARY_BEFORE_AT.contains(&word)
}

/// A word that begins no domain.
fn is_article(line: SpokenLine<'_>, at: usize) -> bool {
    let joined = matches!(line.word(at + 1), "dash" | "hyphen");
    context::is_function_word(line.word(at)) && line.word(at).len() > 1 && !joined
}

/// `anna dot smith at example dot co dot uk`.
fn mail(line: SpokenLine<'_>, at: usize) -> Option<Reading> {
    const SIGNS: [(&str, char); 5] =
        [("dot", '.'), ("underscore", '_'), ("dash", '-'), ("hyphen", '-'), ("plus", '+')];
    let word = line.word(at);
    if context::is_function_word(word) && word != "me" && word.len() > 1 {
        return None;
    }
    // `i work at example dot com`.
    let next = line.word(at + 1);
    let goes_on = matches!(next, "at" | "dot" | "underscore" | "dash") || context::is_number(line, at + 1);
    if matches!(word, "i" | "a") && next.len() > 1 && !goes_on {
        return None;
    }
    let mut address = Address { line, at, text: String::new() };
    if !address.names(&SIGNS) || line.word(address.at) != "at" {
        return None;
    }
    let sure = address.at > at + 1 || at == 0 || BEFORE_MAILBOX.contains(&line.before(at));
    if !sure || ORDINARY_BEFORE_AT.contains(&word) || is_article(line, address.at + 1) {
        return None;
    }
    address.at += 1;
    address.text.push('@');
    address.domain().then_some(())?;
    Reading::written(at..address.at, address.text)
}

/// `www dot example dot com slash help`.
fn web(line: SpokenLine<'_>, at: usize) -> Option<Reading> {
    let (scheme, from) = scheme(line, at);
    let mut address = Address { line, at: from, text: scheme.to_owned() };
    let name = line.word(from);
    let spelled = name.len() == 1 && line.word(from + 1).len() == 1;
    if context::is_function_word(name) && !spelled || !address.domain() {
        return None;
    }
    // `my company dot com` may be one word, unless it goes on with `website`.
    let adjective = matches!(line.word(address.at), "website" | "site" | "page" | "domain" | "account");
    let owned = matches!(line.before(at), "my" | "our" | "your" | "his" | "her" | "their" | "the");
    if owned && !adjective {
        return Some(Reading::Words(address.at));
    }
    let domain = &address.text[scheme.len()..];
    let ordinary = domain.rsplit('.').next().is_some_and(|last| ORDINARY.contains(&last));
    let sure = !scheme.is_empty() || domain.starts_with("www.") || !ordinary;
    let end = address.at;
    if !sure {
        return None;
    }
    if address.path() { Reading::written(at..address.at, address.text) } else { Some(Reading::Words(end)) }
}

/// `https colon slash slash`, also with its letters spelled out.
fn scheme(line: SpokenLine<'_>, at: usize) -> (&'static str, usize) {
    let spelled =
        |letters: &str| letters.chars().zip(at..).all(|(letter, at)| line.word(at) == letter.to_string());
    let (scheme, mut next) = match line.word(at) {
        "http" => ("http://", at + 1),
        "https" => ("https://", at + 1),
        _ if spelled("https") => ("https://", at + 5),
        _ if spelled("http") => ("http://", at + 4),
        _ => return ("", at),
    };
    if line.word(next) != "colon" {
        return ("", at);
    }
    next += 1;
    for _ in 0..2 {
        next += usize::from(line.word(next) == "forward");
        if line.word(next) != "slash" {
            return ("", at);
        }
        next += 1;
    }
    (scheme, next)
}

/// The address of a computer: `one nine two dot one six eight dot one dot one`.
fn network(line: SpokenLine<'_>, at: usize) -> Option<Reading> {
    let mut parts: Vec<String> = Vec::new();
    let mut next = at;
    loop {
        let (part, end) = match line.word(next) {
            "o" | "oh" => ("0".to_owned(), next + 1),
            _ => Run::read(line, next).and_then(|run| Some((run.figures()?, run.tokens.end)))?,
        };
        part.parse::<u8>().ok()?;
        parts.push(part);
        if line.word(end) != "dot" || parts.len() == 4 {
            let whole = parts.len() == 4 && line.word(end) != "dot";
            return if whole { Reading::written(at..end, parts.join(".")) } else { None };
        }
        next = end + 1;
    }
}
