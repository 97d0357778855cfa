//! What is split off at the beginning, at the end and inside a word.

use std::ops::Range;

use super::char_classes::{
    is_alpha, is_currency, is_lower, is_punctuation, is_quote, is_upper, precedes_full_stop,
};
use super::icons::Icons;

/// Units that are split from the digits before them.
const UNITS: [&str; 58] = [
    "km", "km²", "km³", "m", "m²", "m³", "dm", "dm²", "dm³", "cm", "cm²", "cm³", "mm", "mm²", "mm³", "ha",
    "µm", "nm", "yd", "in", "ft", "kg", "g", "mg", "µg", "t", "lb", "oz", "m/s", "km/h", "kmh", "mph", "hPa",
    "Pa", "mbar", "mb", "MB", "kb", "KB", "gb", "GB", "tb", "TB", "T", "G", "M", "K", "%", "км", "м", "см",
    "мм", "кг", "г", "мг", "м/с", "км/ч", "Па",
];
/// Currencies of several characters.
const LONG_CURRENCIES: [&str; 3] = ["US$", "C$", "A$"];
/// Hyphens inside a word, in the order in which they are tried.
const HYPHENS: [&str; 7] = ["-", "–", "—", "--", "---", "——", "~"];

/// The length of the sign at the beginning of a word; 0 if there is none.
pub(super) fn prefix_length(word: &str, icons: &Icons) -> usize {
    let mut letters = word.chars();
    let Some(first) = letters.next() else { return 0 };
    let next = letters.next();
    let dots = leading_dots(word);
    if dots > 1 {
        return dots;
    }
    if first == '+' {
        return usize::from(!next.is_some_and(|next| next.is_ascii_digit()));
    }
    if let Some(currency) = LONG_CURRENCIES.iter().find(|currency| word.starts_with(**currency)) {
        return currency.len();
    }
    let is_prefix = "§%=—–".contains(first)
        || is_punctuation(first)
        || is_quote(first)
        || is_currency(first)
        || icons.contains(first);
    if is_prefix { first.len_utf8() } else { 0 }
}

fn leading_dots(word: &str) -> usize {
    word.bytes().take_while(|byte| *byte == b'.').count()
}

/// The length of the sign, unit or possessive at the end of a word; 0 if there is none.
pub(super) fn suffix_length(word: &str, icons: &Icons) -> usize {
    let dots = word.bytes().rev().take_while(|byte| *byte == b'.').count();
    if dots > 1 {
        return dots;
    }
    let long = ["……", "'s", "'S", "’s", "’S"].into_iter().find(|suffix| word.ends_with(suffix));
    if let Some(length) = long.map(str::len).or_else(|| after_digits(word)) {
        return length;
    }
    let mut letters = word.chars().rev();
    let Some(last) = letters.next() else { return 0 };
    let before = letters.next();
    let second = letters.next();
    let is_suffix = match last {
        '.' => is_stop_after(before, second),
        '+' => before.is_some_and(|before| before.is_ascii_digit()),
        '—' | '–' => true,
        _ => is_punctuation(last) || is_quote(last) || icons.contains(last),
    };
    if is_suffix { last.len_utf8() } else { 0 }
}

/// The length of a currency or unit directly after digits.
fn after_digits(word: &str) -> Option<usize> {
    let digit = word.bytes().rposition(|byte| byte.is_ascii_digit())?;
    let rest = &word[digit + 1..];
    let mut letters = rest.chars();
    let is_sign = letters.next().is_some_and(is_currency) && letters.next().is_none();
    (is_sign || LONG_CURRENCIES.contains(&rest) || UNITS.contains(&rest)).then_some(rest.len())
}

/// Whether a full stop is split from the two characters before it. It is not in `U.S.`.
fn is_stop_after(before: Option<char>, second: Option<char>) -> bool {
    let Some(before) = before else { return false };
    precedes_full_stop(before)
        || second.is_some_and(|second| is_upper(second) && is_upper(before))
        || second == Some('°') && "FfCcKk".contains(before)
}

/// The signs inside a word at which it is divided, from left to right.
pub(super) fn infixes(word: &str, icons: &Icons) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut before = None;
    let mut at = 0;
    while let Some(letter) = word[at..].chars().next() {
        let length = infix_length(before, &word[at..], icons);
        if length > 0 {
            found.push(at..at + length);
        }
        let step = length.max(letter.len_utf8());
        before = word[at..at + step].chars().next_back();
        at += step;
    }
    found
}

/// The length of the infix at the beginning of the rest of a word.
fn infix_length(before: Option<char>, rest: &str, icons: &Icons) -> usize {
    let mut letters = rest.chars();
    let Some(letter) = letters.next() else { return 0 };
    let dots = leading_dots(rest);
    if dots > 1 {
        return dots;
    }
    if letter == '…' || icons.contains(letter) {
        return letter.len_utf8();
    }
    let (Some(before), Some(next)) = (before, letters.next()) else { return 0 };
    let is_infix = match letter {
        '+' | '*' | '^' | '-' if before.is_ascii_digit() && (next.is_ascii_digit() || next == '-') => true,
        '.' => (is_lower(before) || is_quote(before)) && (is_upper(next) || is_quote(next)),
        ',' => is_alpha(before) && is_alpha(next),
        ':' | '<' | '>' | '=' | '/' => (is_alpha(before) || before.is_ascii_digit()) && is_alpha(next),
        _ => return hyphen_length(before, rest),
    };
    if is_infix { letter.len_utf8() } else { 0 }
}

fn hyphen_length(before: char, rest: &str) -> usize {
    if !is_alpha(before) && !before.is_ascii_digit() {
        return 0;
    }
    let fits = |hyphen: &&&str| {
        rest.strip_prefix(**hyphen).is_some_and(|rest| rest.chars().next().is_some_and(is_alpha))
    };
    HYPHENS.iter().find(fits).map_or(0, |hyphen| hyphen.len())
}
