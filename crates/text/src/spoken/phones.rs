//! Phone numbers, and digits spoken one by one.

use super::number_words::digit;
use super::{Expression, Meaning, SpokenLine};
use crate::words::Kind;

/// Minimum digits spoken one by one that form a number.
const CODE: usize = 4;
/// Digits of a phone number.
const PHONE: std::ops::RangeInclusive<usize> = 7..=15;

pub(super) fn find(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
    written(line, at).or_else(|| spoken(line, at))
}

/// `five five five oh one two three`.
fn spoken(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
    if matches!(line.word(at), "oh" | "o") {
        return None;
    }
    let mut digits = String::new();
    let mut end = at;
    let mut next = at;
    loop {
        let times = match line.word(next) {
            "double" => 2,
            "triple" => 3,
            _ => 1,
        };
        let from = next + usize::from(times > 1);
        let Some(digit) = digit(line.word(from)).filter(|_| digits.len() < 20) else { break };
        digits.extend((0..times).map(|_| digit));
        end = from + 1;
        next = if matches!(line.word(end), "," | "-") { end + 1 } else { end };
    }
    if digits.len() < CODE {
        return None;
    }
    let meaning = if PHONE.contains(&digits.len()) { Meaning::Phone } else { Meaning::Number };
    Some(Expression::new(at..end, meaning))
}

/// A phone number in digits: `+1 (212) 555-0199`.
fn written(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
    if !line.is_digits(at) && !matches!(line.word(at), "+" | "(")
        || matches!(line.before(at), "$" | "€" | "£")
    {
        return None;
    }
    let mut count = 0;
    let mut groups = Vec::new();
    let mut signs = 0;
    let mut end = at;
    let mut next = at;
    while let Some(token) = line.get(next).filter(|_| count <= *PHONE.end()) {
        match token.kind {
            Kind::Digits if !token.lower.contains(',') => {
                let digits = token.lower.chars().filter(char::is_ascii_digit).count();
                count += digits;
                groups.push(digits);
                end = next + 1;
            }
            Kind::Sign if matches!(token.lower.as_str(), "+" | "(" | ")" | "-" | ".") => signs += 1,
            Kind::Digits | Kind::Sign | Kind::Word => break,
        }
        next += 1;
    }
    // A range of two years, or one long number without signs, is not a phone number.
    let marked = signs > 0 && groups.len() >= 2 && groups != [4, 4] || groups.len() >= 3 || count >= 10;
    let plausible = groups.iter().all(|group| *group >= 2 || count >= 10) && marked;
    (PHONE.contains(&count) && plausible).then(|| Expression::new(at..end, Meaning::Phone))
}
