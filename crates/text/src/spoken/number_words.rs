//! The number words of English and what each means.

use std::collections::HashMap;
use std::sync::LazyLock;

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
const SMALL_ORDINALS: [&str; 20] = [
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
const TENS_ORDINALS: [&str; 8] =
    ["twentieth", "thirtieth", "fortieth", "fiftieth", "sixtieth", "seventieth", "eightieth", "ninetieth"];
const SCALES: [(&str, u64); 4] = [
    ("thousand", 1_000),
    ("million", 1_000_000),
    ("billion", 1_000_000_000),
    ("trillion", 1_000_000_000_000),
];
const SCALE_ORDINALS: [(&str, u64); 3] =
    [("thousandth", 1_000), ("millionth", 1_000_000), ("billionth", 1_000_000_000)];

/// The part of a number that one word stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// 0 to 19.
    Small(u64),
    /// 20 to 90.
    Tens(u64),
    Hundred,
    /// A thousand and more, with the word for it.
    Scale(&'static str, u64),
}

/// A number word: its part, and whether it is an ordinal such as `fifth`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NumberWord {
    pub(super) part: Part,
    pub(super) ordinal: bool,
}

static WORDS: LazyLock<HashMap<&'static str, NumberWord>> = LazyLock::new(|| {
    let mut words = HashMap::new();
    for (names, ordinal) in [(SMALL, false), (SMALL_ORDINALS, true)] {
        let values = (0..).map(Part::Small);
        words.extend(names.into_iter().zip(values).map(|(name, part)| (name, NumberWord { part, ordinal })));
    }
    for (names, ordinal) in [(TENS, false), (TENS_ORDINALS, true)] {
        let values = (2..).map(|tens| Part::Tens(10 * tens));
        words.extend(names.into_iter().zip(values).map(|(name, part)| (name, NumberWord { part, ordinal })));
    }
    for (name, ordinal) in [("hundred", false), ("hundredth", true)] {
        words.insert(name, NumberWord { part: Part::Hundred, ordinal });
    }
    for (name, value) in SCALES {
        words.insert(name, NumberWord { part: Part::Scale(name, value), ordinal: false });
    }
    for ((name, value), (scale, _)) in SCALE_ORDINALS.into_iter().zip(SCALES) {
        words.insert(name, NumberWord { part: Part::Scale(scale, value), ordinal: true });
    }
    words.insert("nought", NumberWord { part: Part::Small(0), ordinal: false });
    words
});

pub(super) fn number_word(word: &str) -> Option<NumberWord> {
    WORDS.get(word).copied()
}

/// The part of a word that is not an ordinal.
pub(super) fn cardinal_part(word: &str) -> Option<Part> {
    number_word(word).filter(|word| !word.ordinal).map(|word| word.part)
}

/// `zero` to `nineteen`.
pub(crate) fn small(word: &str) -> Option<u64> {
    match cardinal_part(word)? {
        Part::Small(value) => Some(value),
        Part::Tens(_) | Part::Hundred | Part::Scale(..) => None,
    }
}

/// `twenty` to `ninety`.
pub(super) fn tens(word: &str) -> Option<u64> {
    match cardinal_part(word)? {
        Part::Tens(value) => Some(value),
        Part::Small(_) | Part::Hundred | Part::Scale(..) => None,
    }
}

/// `thousand` and more.
pub(crate) fn scale(word: &str) -> Option<(&'static str, u64)> {
    match cardinal_part(word)? {
        Part::Scale(name, value) => Some((name, value)),
        Part::Small(_) | Part::Tens(_) | Part::Hundred => None,
    }
}

/// Whether this is a number word, but not an ordinal.
pub(crate) fn is_number_word(word: &str) -> bool {
    cardinal_part(word).is_some()
}

/// A spoken digit.
pub(crate) fn digit(word: &str) -> Option<char> {
    match word {
        "oh" | "o" => Some('0'),
        _ => small(word).filter(|value| *value < 10).and_then(|value| char::from_digit(value as u32, 10)),
    }
}
