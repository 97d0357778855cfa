//! Reads number words and digits as numbers.

use super::SpokenLine;

const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const ORDINALS: [&str; 20] = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];
const ORDINAL_TENS: [&str; 8] =
    ["twentieth", "thirtieth", "fortieth", "fiftieth", "sixtieth", "seventieth", "eightieth", "ninetieth"];
const SCALES: [(&str, u64); 4] = [
    ("thousand", 1_000),
    ("million", 1_000_000),
    ("billion", 1_000_000_000),
    ("trillion", 1_000_000_000_000),
];

/// A spoken or written number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Numeral {
    pub(super) value: u64,
    /// The digits after the decimal point.
    pub(super) fraction: Option<String>,
    /// The last word, if it is `million` or larger and nothing follows it.
    pub(super) round: Option<&'static str>,
    pub(super) end: usize,
    /// Whether it contains number words.
    pub(super) spoken: bool,
    /// Whether it is approximate, as `a hundred`.
    pub(super) vague: bool,
}

impl Numeral {
    fn new(value: u64, end: usize, spoken: bool) -> Self {
        Self { value, fraction: None, round: None, end, spoken, vague: false }
    }

    /// `12,500`, `3.5 million`, `25`.
    pub(super) fn written(&self) -> String {
        let (value, name) = match self.round {
            Some(name) => (self.value / scale(name).unwrap_or(1), format!(" {name}")),
            None => (self.value, String::new()),
        };
        let fraction = self.fraction.as_ref().map_or(String::new(), |digits| format!(".{digits}"));
        format!("{}{fraction}{name}", grouped(value))
    }
}

pub(super) fn small(word: &str) -> Option<u64> {
    SMALL.iter().position(|small| *small == word).map(|value| value as u64)
}

pub(super) fn tens(word: &str) -> Option<u64> {
    TENS.iter().position(|tens| *tens == word).map(|nth| (nth as u64 + 2) * 10)
}

fn scale(word: &str) -> Option<u64> {
    SCALES.iter().find(|(name, _)| *name == word).map(|(_, scale)| *scale)
}

pub(super) fn is_number_word(word: &str) -> bool {
    small(word).is_some() || tens(word).is_some() || word == "hundred" || scale(word).is_some()
}

/// A number that begins here, in words or digits.
pub(super) fn cardinal(line: SpokenLine<'_>, at: usize) -> Option<Numeral> {
    if line.is_digits(at) {
        return digits(line, at);
    }
    let article = matches!(line.word(at), "a" | "an")
        && (line.word(at + 1) == "hundred" || scale(line.word(at + 1)).is_some());
    let mut reader = Reader { total: 0, current: u64::from(article), largest: u64::MAX, last: "" };
    let mut end = if article { at + 1 } else { at };
    let first = end;
    loop {
        let next = if end == first { end } else { line.past_hyphen(end) };
        if reader.take(line.word(next)) {
            end = next + 1;
        } else if line.word(end) == "and" && reader.allows_and() && is_tail(line.word(end + 1)) {
            end += 1;
        } else {
            break;
        }
    }
    if end == first {
        return None;
    }
    let mut numeral = Numeral::new(reader.total.checked_add(reader.current)?, end, true);
    numeral.vague = article && end == first + 1;
    numeral.round = reader.round();
    Some(with_fraction(line, numeral))
}

/// Reads a number word by word.
struct Reader {
    /// The part before the last scale, such as the 12,000 of `twelve thousand five hundred`.
    total: u64,
    /// The part after it.
    current: u64,
    /// The last scale; a following one must be smaller.
    largest: u64,
    last: &'static str,
}

impl Reader {
    /// Reads one more word. Returns `false` if it cannot follow the words before it.
    fn take(&mut self, word: &str) -> bool {
        if let Some(value) = small(word) {
            return self.take_small(value);
        }
        if let Some(value) = tens(word) {
            return self.take_tens(value);
        }
        if word == "hundred" {
            return self.take_hundred();
        }
        let scale = SCALES.iter().find(|(name, _)| *name == word);
        scale.is_some_and(|(name, value)| self.take_scale(name, *value))
    }

    /// A number below 20: after `hundred`, a scale or tens, but not after another small number.
    fn take_small(&mut self, value: u64) -> bool {
        let below_hundred = self.current % 100;
        let fits = match value {
            0 => self.is_fresh(),
            1..10 => self.current.is_multiple_of(10) && (below_hundred == 0 || below_hundred >= 20),
            _ => below_hundred == 0,
        };
        if !fits || self.last == "zero" {
            return false;
        }
        self.current += value;
        self.last = if value == 0 { "zero" } else { "small" };
        true
    }

    fn take_tens(&mut self, value: u64) -> bool {
        if !self.current.is_multiple_of(100) || self.last == "small" || self.last == "zero" {
            return false;
        }
        self.current += value;
        self.last = "tens";
        true
    }

    fn take_hundred(&mut self) -> bool {
        if !(1..100).contains(&self.current) {
            return false;
        }
        self.current *= 100;
        self.last = "hundred";
        true
    }

    fn take_scale(&mut self, name: &'static str, value: u64) -> bool {
        if self.current == 0 || value >= self.largest {
            return false;
        }
        self.total += self.current * value;
        self.current = 0;
        self.largest = value;
        self.last = name;
        true
    }

    fn is_fresh(&self) -> bool {
        self.total == 0 && self.current == 0 && self.last.is_empty()
    }

    fn allows_and(&self) -> bool {
        matches!(self.last, "hundred" | "thousand" | "million")
    }

    /// The scale from a million on that the whole number is a multiple of, if the number ends with it.
    fn round(&self) -> Option<&'static str> {
        let value = scale(self.last).filter(|value| *value >= 1_000_000)?;
        (self.current == 0 && self.total.is_multiple_of(value) && self.total / value < 1_000)
            .then_some(self.last)
    }
}

fn is_tail(word: &str) -> bool {
    small(word).is_some_and(|value| value > 0) || tens(word).is_some()
}

fn digits(line: SpokenLine<'_>, at: usize) -> Option<Numeral> {
    let written = line.word(at).replace(',', "");
    let (whole, fraction) =
        written.split_once('.').map_or((written.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let mut numeral = Numeral::new(whole.parse().ok()?, at + 1, false);
    numeral.fraction = fraction.map(str::to_owned);
    if let Some((name, value)) = SCALES.iter().find(|(name, _)| *name == line.word(at + 1)) {
        numeral.value = numeral.value.checked_mul(*value)?;
        numeral.round = Some(*name);
        numeral.end = at + 2;
    }
    Some(numeral)
}

/// Adds a fraction such as `point five`, and a scale after it.
fn with_fraction(line: SpokenLine<'_>, numeral: Numeral) -> Numeral {
    if line.word(numeral.end) != "point" || numeral.round.is_some() {
        return numeral;
    }
    let mut digits = String::new();
    let mut end = numeral.end + 1;
    while let Some(digit) = digit(line.word(end)).filter(|_| digits.len() < 10) {
        digits.push(digit);
        end += 1;
    }
    if digits.is_empty() {
        return numeral;
    }
    let mut numeral = Numeral { fraction: Some(digits), end, ..numeral };
    if let Some((name, value)) = SCALES.iter().skip(1).find(|(name, _)| *name == line.word(end)) {
        numeral.value = numeral.value.saturating_mul(*value);
        numeral.round = Some(*name);
        numeral.end = end + 1;
    }
    numeral
}

/// A spoken digit.
pub(super) fn digit(word: &str) -> Option<char> {
    match word {
        "oh" | "o" => Some('0'),
        _ => small(word).filter(|value| *value < 10).and_then(|value| char::from_digit(value as u32, 10)),
    }
}

/// `fifth`, `twenty first`, `21st`: the value, the token after it, and whether it contains number words.
pub(super) fn ordinal(line: SpokenLine<'_>, at: usize) -> Option<(u64, usize, bool)> {
    let word = line.word(at);
    if line.is_digits(at) {
        let suffix = matches!(line.word(at + 1), "st" | "nd" | "rd" | "th") && line.touches(at + 1);
        return suffix.then_some(()).and_then(|()| Some((word.parse().ok()?, at + 2, false)));
    }
    if let Some(value) = ORDINALS.iter().position(|ordinal| *ordinal == word) {
        return Some((value as u64, at + 1, true));
    }
    if let Some(nth) = ORDINAL_TENS.iter().position(|ordinal| *ordinal == word) {
        return Some(((nth as u64 + 2) * 10, at + 1, true));
    }
    let next = line.past_hyphen(at + 1);
    let unit =
        ORDINALS[..10].iter().position(|ordinal| *ordinal == line.word(next)).filter(|unit| *unit > 0)?;
    tens(word).map(|tens| (tens + unit as u64, next + 1, true))
}

/// `21st`.
pub(super) fn nth(value: u64) -> String {
    let suffix = match (value % 10, value % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    };
    format!("{}{suffix}", grouped(value))
}

/// Ten to ninety-nine in words, or a digit after `oh`: the second half of a year or a time.
pub(super) fn two_digits(line: SpokenLine<'_>, at: usize) -> Option<(u64, usize)> {
    let word = line.word(at);
    if matches!(word, "oh" | "o") {
        return small(line.word(at + 1)).filter(|unit| (1..10).contains(unit)).map(|unit| (unit, at + 2));
    }
    if let Some(value) = small(word).filter(|value| *value >= 10) {
        return Some((value, at + 1));
    }
    let value = tens(word)?;
    let next = line.past_hyphen(at + 1);
    match small(line.word(next)).filter(|unit| (1..10).contains(unit)) {
        Some(unit) => Some((value + unit, next + 1)),
        None => Some((value, at + 1)),
    }
}

fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut grouped = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
