//! Number words become digits: `one hundred and five`, `nineteen eighty four`, `two point five million`, `third`.

use super::super::Token;
use super::number_words::{Part, cardinal, decade, ordinal};

/// The tokens with numbers in digits. Parts that do not make one number stay separate: `nineteen`, `eighty four`.
pub(super) fn in_digits(words: Vec<Token>) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let after_number = tokens.last().is_some_and(|token| is_number(&token.text));
        let (text, length) = match read(&words[at..], after_number) {
            Some(read) => read,
            None => (words[at].text.clone(), 1),
        };
        tokens.push(Token { text, first: words[at].first, last: words[at + length - 1].last });
        at += length;
    }
    tokens
}

/// Whether a text is a plain number.
pub(super) fn is_number(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_digit())
        && text.bytes().all(|letter| letter.is_ascii_digit() || letter == b'.')
}

/// The number at the beginning of the words, and how many of them it takes.
fn read(words: &[Token], after_number: bool) -> Option<(String, usize)> {
    let word = |at: usize| words.get(at).map_or("", |word: &Token| word.text.as_str());
    if let Some(value) = decade(word(0)) {
        return Some((format!("{value}s"), 1));
    }
    let is_digit = |text: &str| matches!(cardinal(text), Some(Part::Digit(_))) || is_number(text);
    if after_number && matches!(word(0), "oh" | "o") && is_digit(word(1)) {
        return Some(("0".to_owned(), 1));
    }
    let start =
        usize::from(word(0) == "a" && matches!(cardinal(word(1)), Some(Part::Hundred | Part::Scale(_))));
    let mut number = Number::default();
    let mut at = start;
    while let Some(length) = number.read_next([word(at), word(at + 1)]) {
        at += length;
    }
    if let Some(text) = number.finished_by_ordinal(word(at)) {
        return Some((text, at + 1));
    }
    let half = [word(at), word(at + 1), word(at + 2)] == ["and", "a", "half"];
    if half && number.is_whole() && at > start {
        number.decimals = "5".to_owned();
        at += 3;
    }
    (at > start).then(|| (number.text(), at))
}

/// What the last word of a number was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Nothing,
    /// Digits in the text.
    Digits,
    /// 1 to 19, or what cannot have another one after it.
    Unit,
    Tens,
    Hundred,
    Scale,
    Decimals,
}

/// A number while it is read.
#[derive(Debug, Default)]
struct Number {
    /// What comes before the last scale: two million in `two million five hundred`.
    total: u128,
    current: u128,
    /// Digits after the point.
    decimals: String,
    last: Last,
    /// The last scale; the next one must be smaller.
    scale: Option<u128>,
}

impl Number {
    /// Adds the next word, or the next two. Returns how many it added; `None` if the number ends here.
    fn read_next(&mut self, [word, next]: [&str; 2]) -> Option<usize> {
        if self.accepts_word(word) || (word == "and" && self.may_continue_after_and(next)) {
            return Some(1);
        }
        (word == "point" && self.read_decimals(next)).then_some(2)
    }

    /// Adds a word, if the number can have it here.
    fn accepts_word(&mut self, word: &str) -> bool {
        if let Some(part) = cardinal(word) {
            return self.accepts(part);
        }
        if !is_number(word) || !matches!(self.last, Last::Nothing | Last::Hundred) {
            return false;
        }
        let (whole, decimals) = word.split_once('.').unwrap_or((word, ""));
        let Ok(value) = whole.parse() else { return false };
        if self.last == Last::Hundred {
            let accepted = decimals.is_empty() && (1..100).contains(&value);
            (self.current, self.last) =
                if accepted { (self.current + value, Last::Unit) } else { (self.current, self.last) };
            return accepted;
        }
        self.current = value;
        self.decimals = decimals.to_owned();
        self.last = Last::Digits;
        true
    }

    fn accepts(&mut self, part: Part) -> bool {
        let begins = matches!(self.last, Last::Nothing | Last::Scale);
        let (value, last, accepted) = match part {
            Part::Digit(value) => {
                (value, Last::Unit, begins || (value > 0 && matches!(self.last, Last::Tens | Last::Hundred)))
            }
            Part::Teen(value) => (value, Last::Unit, begins || self.last == Last::Hundred),
            Part::Tens(value) => (value, Last::Tens, begins || self.last == Last::Hundred),
            Part::Hundred => return self.accepts_hundred(),
            Part::Scale(scale) => return self.accepts_scale(scale),
        };
        if accepted {
            self.current += value;
            self.last = last;
        }
        accepted
    }

    fn accepts_hundred(&mut self) -> bool {
        let accepted = match self.last {
            Last::Nothing => true,
            Last::Digits => self.decimals.is_empty() && (1..100).contains(&self.current),
            Last::Unit | Last::Tens => (1..100).contains(&self.current),
            Last::Hundred | Last::Scale | Last::Decimals => false,
        };
        if accepted {
            self.current = self.current.max(1) * 100;
            self.last = Last::Hundred;
        }
        accepted
    }

    fn accepts_scale(&mut self, scale: u128) -> bool {
        if self.last == Last::Scale || self.scale.is_some_and(|before| before <= scale) {
            return false;
        }
        let current = if self.last == Last::Nothing { 1 } else { self.current };
        let Some(scaled) = scaled(current, &self.decimals, scale) else { return false };
        let Some(total) = self.total.checked_add(scaled.0) else { return false };
        self.total = total;
        self.current = 0;
        self.decimals = scaled.1;
        self.last = Last::Scale;
        self.scale = Some(scale);
        true
    }

    fn may_continue_after_and(&self, next: &str) -> bool {
        matches!(self.last, Last::Hundred | Last::Scale)
            && (matches!(
                cardinal(next).or(ordinal(next)),
                Some(Part::Digit(_) | Part::Teen(_) | Part::Tens(_))
            ) || (is_number(next) && self.last == Last::Hundred && next.len() < 3))
    }

    /// Reads one digit after the word `point` (or after another digit).
    fn read_decimals(&mut self, next: &str) -> bool {
        let digits = match cardinal(next) {
            Some(Part::Digit(value) | Part::Teen(value) | Part::Tens(value)) => value.to_string(),
            Some(Part::Hundred | Part::Scale(_)) => return false,
            None if is_number(next) && !next.contains('.') => next.to_owned(),
            None => return false,
        };
        if !self.is_whole() || matches!(self.last, Last::Nothing | Last::Scale) {
            return false;
        }
        self.decimals = digits;
        self.last = Last::Decimals;
        true
    }

    fn is_whole(&self) -> bool {
        self.decimals.is_empty()
    }

    /// The number with its ordinal ending, if the word ends it: `twenty` and `first`.
    fn finished_by_ordinal(&mut self, word: &str) -> Option<String> {
        let part = ordinal(word).filter(|_| self.is_whole() && self.last != Last::Digits)?;
        if !self.accepts(part) {
            return None;
        }
        let value = self.total + self.current;
        let ending = match (value % 10, value % 100) {
            (_, 11..=13) => "th",
            (1, _) => "st",
            (2, _) => "nd",
            (3, _) => "rd",
            _ => "th",
        };
        Some(format!("{value}{ending}"))
    }

    fn text(&self) -> String {
        let decimals = self.decimals.trim_end_matches('0');
        let value = self.total.saturating_add(self.current);
        if decimals.is_empty() { value.to_string() } else { format!("{value}.{decimals}") }
    }
}

/// A number with decimals times a power of ten: the whole number and the remaining decimals. `None` if it is too large.
fn scaled(whole: u128, decimals: &str, scale: u128) -> Option<(u128, String)> {
    let zeros = scale.to_string().len() - 1;
    let moved = format!("{decimals:0<zeros$}");
    let (digits, rest) = moved.split_at(zeros);
    let value = whole.checked_mul(scale)?.checked_add(digits.parse().ok()?)?;
    Some((value, rest.trim_end_matches('0').to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(text: &str) -> String {
        let words = text.split(' ').enumerate().map(|(nth, word)| Token::new(word, nth)).collect();
        in_digits(words).into_iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn numbers_are_read() {
        for (words, expected) in [
            ("twenty five", "25"),
            ("one hundred and five", "105"),
            ("nineteen hundred", "1900"),
            ("nineteen eighty four", "19 84"),
            ("two thousand and five", "2005"),
            ("a million people", "1000000 people"),
            ("two million three hundred thousand and one", "2300001"),
            ("two point five", "2.5"),
            ("1.25 million", "1250000"),
            ("3 thousand 4", "3000 4"),
            ("five hundred thousand", "500000"),
            ("one two three", "1 2 3"),
            ("twenty first", "21st"),
            ("one hundred and third", "103rd"),
            ("eleventh twelfth", "11th 12th"),
            ("black and white", "black and white"),
            ("one and a half", "1.5"),
            ("five and six", "5 and 6"),
            ("the point is", "the point is"),
            ("zero point zero", "0"),
            ("nineteen oh five", "19 0 5"),
        ] {
            assert_eq!(digits(words), expected, "{words}");
        }
    }

    #[test]
    fn a_number_that_is_too_large_stays_in_parts() {
        let large = "9".repeat(60);
        assert_eq!(digits(&format!("{large} million")), format!("{large} 1000000"));
        let nearly = u128::MAX.to_string();
        assert_eq!(digits(&format!("{nearly} thousand")), format!("{nearly} 1000"));
    }
}
