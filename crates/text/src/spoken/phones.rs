//! Phone numbers, and digits spoken one by one.

use super::number_words::digit;
use super::{Expression, Meaning, SpokenLine};
use crate::words::Kind;

/// Minimum digits spoken one by one that form a number.
const CODE: usize = 4;
/// Minimum digits after `oh` that make it a zero.
const AFTER_OH: usize = 6;
/// Digits of a phone number.
const PHONE: std::ops::RangeInclusive<usize> = 7..=15;

pub(super) fn find(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
    written(line, at).or_else(|| spoken(line, at))
}

/// `five five five oh one two three`.
fn spoken(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
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
        let is_joined = matches!(line.word(end), "," | "-") && !(digits == "0" && is_oh(line, at));
        next = if is_joined { end + 1 } else { end };
    }
    // `oh` is also an interjection.
    let least = if is_oh(line, at) { AFTER_OH + 1 } else { CODE };
    if digits.len() < least {
        return None;
    }
    let meaning = if PHONE.contains(&digits.len()) { Meaning::Phone } else { Meaning::Number };
    Some(Expression::new(at..end, meaning))
}

fn is_oh(line: SpokenLine<'_>, at: usize) -> bool {
    matches!(line.word(at), "oh" | "o")
}

/// A phone number in digits: `+1 (212) 555-0199`.
fn written(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
    if !line.is_digits(at) && !matches!(line.word(at), "+" | "(")
        || matches!(line.before(at), "$" | "€" | "£")
    {
        return None;
    }
    let groups = Groups::read(line, at);
    (PHONE.contains(&groups.count()) && groups.are_phone())
        .then(|| Expression::new(at..groups.end, Meaning::Phone))
}

/// Groups of digits with signs or spaces between them.
#[derive(Default)]
struct Groups<'a> {
    digits: Vec<&'a str>,
    /// Whether it has a `+` or brackets.
    is_marked: bool,
    has_hyphens: bool,
    has_stops: bool,
    end: usize,
}

impl<'a> Groups<'a> {
    fn read(line: SpokenLine<'a>, at: usize) -> Self {
        let mut groups = Self { end: at, ..Self::default() };
        let tokens = (at..).map_while(|next| Some((next, line.get(next)?)));
        for (next, token) in tokens {
            let is_full = groups.count() > *PHONE.end();
            match (token.kind, token.lower.as_str()) {
                (Kind::Digits, digits) if !digits.contains(',') && !is_full => groups.add(digits, next + 1),
                (Kind::Sign, "+") if groups.digits.is_empty() => groups.is_marked = true,
                (Kind::Sign, "(" | ")") => groups.is_marked = true,
                (Kind::Sign, "-") if line.touches(next) && line.touches(next + 1) => {
                    groups.has_hyphens = true
                }
                (Kind::Sign, ".") if line.touches(next) && line.touches(next + 1) => groups.has_stops = true,
                (Kind::Digits | Kind::Sign | Kind::Word, _) => break,
            }
        }
        groups
    }

    /// Adds a token, in which `555.0199` is two groups.
    fn add(&mut self, token: &'a str, end: usize) {
        self.has_stops |= token.contains('.');
        self.digits.extend(token.split('.'));
        self.end = end;
    }

    fn count(&self) -> usize {
        self.digits.iter().map(|digits| digits.len()).sum()
    }

    /// Whether the groups are those of a phone number: not of a range, years, or the address of a computer.
    fn are_phone(&self) -> bool {
        let lengths: Vec<usize> = self.digits.iter().map(|digits| digits.len()).collect();
        if self.has_stops {
            return matches!(lengths.as_slice(), [3, 3, 4] | [1, 3, 3, 4]);
        }
        let is_long = self.count() >= 10;
        let have_length = lengths.iter().all(|length| *length >= 2 || is_long);
        let are_plausible = match lengths.as_slice() {
            [_] => is_long,
            [3, 4] => self.has_hyphens || self.is_marked,
            [_, _] => self.is_marked || self.digits[0].starts_with('0') && self.digits[0].len() > 2,
            _ => self.is_marked || self.has_hyphens || !self.digits.iter().all(|digits| is_year(digits)),
        };
        have_length && are_plausible
    }
}

fn is_year(digits: &str) -> bool {
    digits.len() == 4 && digits.starts_with(['1', '2'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::tokens;

    fn phone(text: &str) -> Option<String> {
        let tokens = tokens(text, 0..text.len());
        let found = (SpokenLine { tokens: &tokens }).expressions();
        let phone = found.into_iter().find(|expression| expression.meaning == Meaning::Phone)?;
        let range = tokens[phone.tokens.start].range.start..tokens[phone.tokens.end - 1].range.end;
        Some(text[range].to_owned())
    }

    #[test]
    fn numbers_in_groups_are_phone_numbers() {
        for text in [
            "212-555-0199",
            "555-0199",
            "+1 (212) 555-0199",
            "020 7946 0123",
            "212.555.0199",
            "2125550199",
            "0161 4960000",
        ] {
            assert_eq!(phone(&format!("call {text} now")).as_deref(), Some(text));
        }
    }

    #[test]
    fn addresses_of_computers_ranges_and_years_are_not_phone_numbers() {
        for text in
            ["192.168.1.1", "10.0.12.255", "50000-60000", "2019 2020 2021", "2019-2020", "1.25 3.75 4.5"]
        {
            assert_eq!(phone(&format!("it is {text} now")), None, "{text}");
        }
    }

    #[test]
    fn a_leading_oh_is_a_zero_before_many_digits() {
        let number = "oh two oh seven nine four six oh one two three";
        assert_eq!(phone(&format!("call {number}")).as_deref(), Some(number));
        assert_eq!(phone("oh one two three four"), None);
    }
}
