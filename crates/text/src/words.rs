//! Splits a text into words, numbers and signs.

use std::ops::Range;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    /// Digits, possibly with thousands separators and a decimal point.
    Digits,
    Sign,
}

/// One word, number or sign.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
    /// In lower case, with a straight apostrophe.
    pub(super) lower: String,
    /// Whether it starts with a capital.
    pub(super) capital: bool,
    /// Whether it consists of at least two capitals.
    pub(super) all_capitals: bool,
}

impl Token {
    pub(super) fn is(&self, word: &str) -> bool {
        self.lower == word
    }

    pub(super) fn is_one_of(&self, words: &[&str]) -> bool {
        words.contains(&self.lower.as_str())
    }
}

/// The tokens of a part of the text.
pub(super) fn tokens(text: &str, within: Range<usize>) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = within.start;
    while at < within.end {
        let rest = &text[at..within.end];
        let Some(letter) = rest.chars().next() else { break };
        if letter.is_whitespace() {
            at += letter.len_utf8();
            continue;
        }
        let (length, kind) = if letter.is_ascii_digit() {
            (digits(rest), Kind::Digits)
        } else if letter.is_alphanumeric() {
            (word(rest), Kind::Word)
        } else {
            (letter.len_utf8(), Kind::Sign)
        };
        let piece = &rest[..length];
        let lower = piece.to_lowercase().replace('’', "'");
        let all_capitals = piece.len() > 1 && piece.chars().all(char::is_uppercase);
        tokens.push(Token {
            range: at..at + length,
            kind,
            lower,
            capital: letter.is_uppercase(),
            all_capitals,
        });
        at += length;
    }
    tokens
}

fn word(rest: &str) -> usize {
    let mut end = 0;
    let mut letters = rest.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let inner =
            matches!(letter, '\'' | '’') && letters.peek().is_some_and(|(_, next)| next.is_alphabetic());
        let part = letter.is_alphanumeric() && (end > 0 || !letter.is_ascii_digit());
        if !inner && !part {
            break;
        }
        end = at + letter.len_utf8();
    }
    end
}

/// `1,500` and `3.5` are one number; the full stop of a sentence and the comma of a list are not part of it.
fn digits(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let run = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = run(0);
    while end <= 15 && bytes.get(end) == Some(&b',') && run(end + 1) == 3 {
        end += 4;
    }
    if bytes.get(end) == Some(&b'.') {
        let fraction = run(end + 1);
        if fraction > 0 {
            end += 1 + fraction;
        }
    }
    end
}

/// An English noun in lower case without the `s` of the plural or the possessive `'s`.
pub(super) fn singular(word: &str) -> String {
    let plain = word.strip_suffix("'s").unwrap_or(word);
    match plain {
        _ if plain.chars().count() > 4 && plain.ends_with("ies") => format!("{}y", &plain[..plain.len() - 3]),
        _ if plain.chars().count() > 3
            && plain.ends_with('s')
            && !plain.ends_with("ss")
            && !plain.ends_with("us") =>
        {
            plain[..plain.len() - 1].to_owned()
        }
        _ => plain.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_signs_are_separate_tokens() {
        let text = "I’m paying $1,500.75, twenty-five% by 3:30.";
        let found: Vec<String> = tokens(text, 0..text.len()).into_iter().map(|token| token.lower).collect();
        let wanted =
            ["i'm", "paying", "$", "1,500.75", ",", "twenty", "-", "five", "%", "by", "3", ":", "30", "."];
        assert_eq!(found, wanted);
    }

    #[test]
    fn letters_with_digits_stay_together_and_ranges_are_bytes() {
        let text = "Да B2B ёж’и";
        let found = tokens(text, 0..text.len());
        let texts: Vec<&str> = found.iter().map(|token| &text[token.range.clone()]).collect();
        assert_eq!(texts, ["Да", "B2B", "ёж’и"]);
        assert!(found[0].capital && !found[2].capital);
    }
}
