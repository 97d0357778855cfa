//! Sums of money, percentages, and numbers that were spoken in several parts.

use super::super::Token;
use super::numbers::is_number;

/// Numbers with more digits are counted digit by digit, because they are read digit by digit.
const LONGEST_NUMBER: usize = 6;

/// Longer numbers are not numbers that anybody reads.
const LONGEST_DIGITS: usize = 40;

/// Joins numbers with their signs (`$5`, `3%`), and numbers that follow each other (`19`, `84`).
pub(super) fn joined(tokens: Vec<Token>) -> Vec<Token> {
    let signed = with_cents(with_signs(tokens));
    let mut joined = Vec::with_capacity(signed.len());
    for run in
        signed.chunk_by(|one, other| is_digits(&one.text) && is_digits(other.text.trim_end_matches('s')))
    {
        let length: usize = run.iter().map(|token| token.text.len()).sum();
        match run {
            [token] if length <= LONGEST_NUMBER || !is_digits(&token.text) => joined.push(token.clone()),
            [first, .., last] if length <= LONGEST_NUMBER => joined.push(Token {
                text: run.iter().map(|token| token.text.as_str()).collect(),
                first: first.first,
                last: last.last,
            }),
            run => joined.extend(run.iter().flat_map(digit_by_digit)),
        }
    }
    joined
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit())
}

fn digit_by_digit(token: &Token) -> Vec<Token> {
    if token.text.len() > LONGEST_DIGITS || !is_digits(&token.text) {
        return vec![token.clone()];
    }
    let digit = |digit: char| Token { text: digit.to_string(), first: token.first, last: token.last };
    token.text.chars().map(digit).collect()
}

/// The sign of a unit that follows a number.
fn sign(word: &str) -> Option<&'static str> {
    Some(match word {
        "dollar" | "dollars" => "$",
        "euro" | "euros" => "€",
        "pound" | "pounds" => "£",
        "cent" | "cents" | "¢" => "¢",
        "percent" | "%" => "%",
        _ => return None,
    })
}

/// Numbers with the sign before or after them.
fn with_signs(tokens: Vec<Token>) -> Vec<Token> {
    let mut signed: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    let word = |at: usize| tokens.get(at).map_or("", |token: &Token| token.text.as_str());
    while at < tokens.len() {
        let (text, length) = if matches!(word(at), "$" | "€" | "£") && is_number(word(at + 1)) {
            (format!("{}{}", word(at), word(at + 1)), 2)
        } else if is_number(word(at)) && (word(at + 1), word(at + 2)) == ("per", "cent") {
            (format!("{}%", word(at)), 3)
        } else if let Some(sign) = sign(word(at + 1)).filter(|_| is_number(word(at))) {
            let before = matches!(sign, "$" | "€" | "£");
            (if before { format!("{sign}{}", word(at)) } else { format!("{}{sign}", word(at)) }, 2)
        } else {
            (word(at).to_owned(), 1)
        };
        signed.push(Token { text, first: tokens[at].first, last: tokens[at + length - 1].last });
        at += length;
    }
    signed
}

/// `$5 and 50¢` is `$5.5`.
fn with_cents(tokens: Vec<Token>) -> Vec<Token> {
    let mut sums: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let cents = token.text.strip_suffix('¢').and_then(|cents| cents.parse::<u32>().ok());
        let and = usize::from(sums.last().is_some_and(|last| last.text == "and"));
        let sum = sums.len().checked_sub(1 + and).filter(|sum| {
            let text = &sums[*sum].text;
            text.starts_with(['$', '€', '£']) && !text.contains('.')
        });
        match (cents.filter(|cents| (1..100).contains(cents)), sum) {
            (Some(cents), Some(sum)) => {
                sums.truncate(sum + 1);
                sums[sum].text.push_str(format!(".{cents:02}").trim_end_matches('0'));
                sums[sum].last = token.last;
            }
            _ => sums.push(token),
        }
    }
    sums
}
