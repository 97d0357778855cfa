//! Web and mail addresses, which are one token.

use super::char_classes::is_lower;

/// Whether the whole word is an address: an optional scheme and user, a host or IP address, a port and a path.
pub(super) fn is_address(word: &str) -> bool {
    let after_scheme = word.find("://").filter(|at| is_scheme(&word[..*at])).map(|at| at + 3);
    let after_users = word.match_indices('@').filter(|(at, _)| *at > 0).map(|(at, _)| at + 1);
    let mut starts = std::iter::once(0).chain(after_scheme).chain(after_users);
    starts.any(|start| is_host_and_path(&word[start..]))
}

fn is_scheme(text: &str) -> bool {
    text.chars().count() >= 2
        && text.chars().all(|letter| letter.is_alphanumeric() || "_+-.".contains(letter))
}

fn is_host_and_path(text: &str) -> bool {
    let end = text.find([':', '/', '?', '#']).unwrap_or(text.len());
    let (host, rest) = text.split_at(end);
    let after_port = match rest.strip_prefix(':') {
        Some(port) => {
            let digits = port.bytes().take_while(u8::is_ascii_digit).count();
            if !(2..=5).contains(&digits) {
                return false;
            }
            &port[digits..]
        }
        None => rest,
    };
    let has_end = after_port.is_empty() || after_port.starts_with(['/', '?', '#']);
    has_end && (is_host(host) || is_public_ip(host))
}

fn is_host(host: &str) -> bool {
    let Some((labels, top_level)) = host.rsplit_once('.') else { return false };
    let length = top_level.chars().count();
    (2..=63).contains(&length) && top_level.chars().all(is_lower) && labels.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    let is_end = |letter: char| letter.is_ascii_alphanumeric() || ('\u{a1}'..='\u{ffff}').contains(&letter);
    let is_inner = |letter: char| is_end(letter) || matches!(letter, '_' | '-');
    let ends = (label.chars().next(), label.chars().next_back());
    ends.0.is_some_and(is_end)
        && ends.1.is_some_and(is_end)
        && label.chars().all(is_inner)
        && label.chars().count() <= 64
}

/// Whether the text is an IP address outside the private networks.
fn is_public_ip(host: &str) -> bool {
    let parts: Vec<Option<u8>> = host.split('.').map(octet).collect();
    let [Some(first), Some(second), Some(_), Some(last)] = parts[..] else { return false };
    let is_private = matches!((first, second), (10 | 127, _) | (169, 254) | (192, 168) | (172, 16..=31));
    (1..=223).contains(&first) && (1..=254).contains(&last) && !is_private
}

fn octet(text: &str) -> Option<u8> {
    let is_number = (1..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_recognized_as_a_whole() {
        for address in [
            "example.com",
            "https://a.example.org:8080/x?y=1#z",
            "anna.b@example.co.uk",
            "mailto:a@b.de",
            "8.8.8.8/dns",
            "t.co",
        ] {
            assert!(is_address(address), "{address}");
        }
        for other in
            ["end.Next", "a.b", "192.168.0.1", "example.com:x", "-a.com", "word", "@name", "x@", ".com"]
        {
            assert!(!is_address(other), "{other}");
        }
    }
}
