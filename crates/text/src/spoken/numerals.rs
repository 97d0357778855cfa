//! Reads number words and digits as numbers.

use std::ops::Range;

use super::SpokenLine;
use super::number_words::{Part, cardinal_part, digit, is_number_word, number_word, scale, small, tens};

/// Digits after the decimal point that are read.
const MAX_FRACTION: usize = 10;

/// A spoken or written number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Numeral {
    pub(crate) tokens: Range<usize>,
    pub(crate) value: u64,
    /// The digits after the decimal point.
    pub(crate) fraction: Option<String>,
    /// The last word, if it is `million` or larger and nothing follows it.
    pub(crate) round: Option<&'static str>,
    /// Whether it contains number words.
    pub(crate) spoken: bool,
    /// Whether it is approximate, as `a hundred`.
    pub(crate) vague: bool,
    /// Whether its last word is an ordinal.
    pub(crate) ordinal: bool,
}

impl Numeral {
    fn new(value: u64, tokens: Range<usize>, spoken: bool) -> Self {
        Self { tokens, value, fraction: None, round: None, spoken, vague: false, ordinal: false }
    }

    /// Whether it is a whole number and not an ordinal.
    pub(crate) fn is_whole(&self) -> bool {
        self.fraction.is_none() && !self.ordinal
    }
}

/// A number that begins here, in words or digits; not an ordinal.
pub(super) fn cardinal(line: SpokenLine<'_>, at: usize) -> Option<Numeral> {
    number(line, at).filter(|numeral| !numeral.ordinal)
}

/// A number that begins here: `twenty five`, `a hundred and third`, `25`.
pub(crate) fn number(line: SpokenLine<'_>, at: usize) -> Option<Numeral> {
    if line.is_digits(at) {
        return digits(line, at);
    }
    let article = matches!(line.word(at), "a" | "an")
        && matches!(cardinal_part(line.word(at + 1)), Some(Part::Hundred | Part::Scale(..)));
    // `the hundred and third`.
    let first = if article { at + 1 } else { at };
    let implied = !article && matches!(number_word(line.word(at))?.part, Part::Hundred | Part::Scale(..));
    let current = u64::from(article || implied && line.before(at) == "the");
    let mut reader = Reader { total: 0, current, largest: u64::MAX, last: Last::Nothing };
    let (end, ordinal) = reader.read(line, first);
    if end == first || implied && !ordinal {
        return None;
    }
    let value = reader.total.checked_add(reader.current)?;
    let mut numeral = Numeral { ordinal, ..Numeral::new(value, at..end, true) };
    numeral.vague = article && end == first + 1;
    numeral.round = reader.round().filter(|_| !ordinal);
    Some(if ordinal { numeral } else { with_fraction(line, numeral) })
}

/// What the last word of a number was.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Last {
    Nothing,
    Zero,
    Small,
    Tens,
    Hundred,
    Scale(&'static str),
}

/// Reads a number word by word.
struct Reader {
    /// The part before the last scale, such as the 12,000 of `twelve thousand five hundred`.
    total: u64,
    /// The part after it.
    current: u64,
    /// The last scale; a following one must be smaller.
    largest: u64,
    last: Last,
}

impl Reader {
    /// Reads words from `first` on. Returns the token after them, and whether the last one is an ordinal.
    fn read(&mut self, line: SpokenLine<'_>, first: usize) -> (usize, bool) {
        let mut end = first;
        loop {
            let next = if end == first { end } else { line.past_hyphen(end) };
            let word = number_word(line.word(next));
            if let Some(word) = word.filter(|word| self.take(word.part)) {
                end = next + 1;
                if word.ordinal {
                    return (end, true);
                }
            } else if line.word(end) == "and" && self.allows_and() && self.is_tail(line, end + 1) {
                end += 1;
            } else {
                return (end, false);
            }
        }
    }

    /// Reads one more word. Returns `false` if it cannot follow the words before it.
    fn take(&mut self, part: Part) -> bool {
        match part {
            Part::Small(value) => self.take_small(value),
            Part::Tens(value) => self.take_tens(value),
            Part::Hundred => self.take_hundred(),
            Part::Scale(name, value) => self.take_scale(name, value),
        }
    }

    /// A number below 20: after `hundred`, a scale or tens, but not after another small number.
    fn take_small(&mut self, value: u64) -> bool {
        let below_hundred = self.current % 100;
        let fits = match value {
            0 => self.last == Last::Nothing,
            1..10 => self.current.is_multiple_of(10) && (below_hundred == 0 || below_hundred >= 20),
            _ => below_hundred == 0,
        };
        if !fits || self.last == Last::Zero {
            return false;
        }
        self.current += value;
        self.last = if value == 0 { Last::Zero } else { Last::Small };
        true
    }

    fn take_tens(&mut self, value: u64) -> bool {
        if !self.current.is_multiple_of(100) || matches!(self.last, Last::Small | Last::Zero) {
            return false;
        }
        self.current += value;
        self.last = Last::Tens;
        true
    }

    fn take_hundred(&mut self) -> bool {
        // `twenty five thousand twenty five hundred` are two numbers.
        let limit = if self.total > 0 { 10 } else { 100 };
        if !(1..limit).contains(&self.current) {
            return false;
        }
        self.current *= 100;
        self.last = Last::Hundred;
        true
    }

    fn take_scale(&mut self, name: &'static str, value: u64) -> bool {
        if self.current == 0 || value >= self.largest {
            return false;
        }
        self.total += self.current * value;
        self.current = 0;
        self.largest = value;
        self.last = Last::Scale(name);
        true
    }

    fn allows_and(&self) -> bool {
        matches!(self.last, Last::Hundred | Last::Scale("thousand" | "million"))
    }

    /// Whether the rest of the number follows `and`: not in `two hundred and three hundred`.
    fn is_tail(&self, line: SpokenLine<'_>, at: usize) -> bool {
        let again = match self.last {
            Last::Hundred => "hundred",
            Last::Scale(name) => name,
            Last::Nothing | Last::Zero | Last::Small | Last::Tens => "",
        };
        let rest = number_word(line.word(at)).map(|word| word.part);
        let counts = matches!(rest, Some(Part::Small(1..) | Part::Tens(_)));
        let after = (at..at + 3).skip(1).take_while(|next| is_number_word(line.word(*next)));
        counts && after.into_iter().all(|next| line.word(next) != again)
    }

    /// The scale from a million on that the whole number is a multiple of, if the number ends with it.
    fn round(&self) -> Option<&'static str> {
        let Last::Scale(name) = self.last else { return None };
        let (_, value) = scale(name).filter(|(_, value)| *value >= 1_000_000)?;
        (self.current == 0 && self.total.is_multiple_of(value) && self.total / value < 1_000).then_some(name)
    }
}

fn digits(line: SpokenLine<'_>, at: usize) -> Option<Numeral> {
    let written = line.word(at).replace(',', "");
    let (whole, fraction) =
        written.split_once('.').map_or((written.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let mut numeral = Numeral::new(whole.parse().ok()?, at..at + 1, false);
    numeral.fraction = fraction.map(str::to_owned);
    if let Some((name, value)) = scale(line.word(at + 1)) {
        numeral.value = numeral.value.checked_mul(value)?;
        numeral.round = Some(name).filter(|_| value >= 1_000_000 || numeral.fraction.is_some());
        numeral.tokens.end = at + 2;
    }
    Some(numeral)
}

/// Adds a fraction such as `point five`, and a scale after it.
fn with_fraction(line: SpokenLine<'_>, numeral: Numeral) -> Numeral {
    if line.word(numeral.tokens.end) != "point" || numeral.round.is_some() {
        return numeral;
    }
    let Some((digits, end)) = fraction(line, numeral.tokens.end + 1) else { return numeral };
    let mut numeral = Numeral { fraction: Some(digits), tokens: numeral.tokens.start..end, ..numeral };
    if let Some((name, value)) = scale(line.word(end)).filter(|(_, value)| *value >= 1_000_000) {
        numeral.value = numeral.value.saturating_mul(value);
        numeral.round = Some(name);
        numeral.tokens.end = end + 1;
    }
    numeral
}

/// The digits after `point` and the token after them: `one four`, or `fourteen`.
pub(crate) fn fraction(line: SpokenLine<'_>, at: usize) -> Option<(String, usize)> {
    let mut digits = String::new();
    let mut end = at;
    while let Some(digit) = digit(line.word(end)).filter(|_| digits.len() < MAX_FRACTION) {
        digits.push(digit);
        end += 1;
    }
    if digits.is_empty() {
        return two_digits(line, at).map(|(value, end)| (format!("{value:02}"), end));
    }
    Some((digits, end))
}

/// `fifth`, `twenty first`, `21st`: the value, the token after it, and whether it contains number words.
pub(crate) fn ordinal(line: SpokenLine<'_>, at: usize) -> Option<(u64, usize, bool)> {
    if line.is_digits(at) {
        let suffix = matches!(line.word(at + 1), "st" | "nd" | "rd" | "th") && line.touches(at + 1);
        return suffix.then_some(()).and_then(|()| Some((line.word(at).parse().ok()?, at + 2, false)));
    }
    number(line, at)
        .filter(|numeral| numeral.ordinal)
        .map(|numeral| (numeral.value, numeral.tokens.end, true))
}

/// `21st`.
pub(crate) fn nth(value: u64) -> String {
    let suffix = match (value % 10, value % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    };
    format!("{}{suffix}", grouped(value))
}

/// Ten to ninety-nine in words, or a digit after `oh`: the second half of a year or a time.
pub(crate) fn two_digits(line: SpokenLine<'_>, at: usize) -> Option<(u64, usize)> {
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

/// With separators of thousands: `12,500`.
pub(crate) fn grouped(value: u64) -> String {
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
