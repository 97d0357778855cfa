//! What words mean in a number. The built-in text stages have a separate list: this crate uses none of our other crates,
//! so that texts are not judged by the code that wrote them.

/// A part of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// 0 to 9.
    Digit(u128),
    /// 10 to 19.
    Teen(u128),
    /// 20, 30, … 90.
    Tens(u128),
    Hundred,
    /// A thousand and more.
    Scale(u128),
}

const DIGITS: [&str; 10] = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const TEENS: [&str; 10] = [
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
const SCALES: [(&str, u128); 4] = [
    ("thousand", 1_000),
    ("million", 1_000_000),
    ("billion", 1_000_000_000),
    ("trillion", 1_000_000_000_000),
];
const ORDINAL_DIGITS: [&str; 10] =
    ["zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"];

/// The part that a word is.
pub(super) fn cardinal(word: &str) -> Option<Part> {
    let index = |list: &[&str]| list.iter().position(|known| *known == word).map(|index| index as u128);
    if let Some(value) = index(&DIGITS) {
        return Some(Part::Digit(value));
    }
    if let Some(value) = index(&TEENS) {
        return Some(Part::Teen(value + 10));
    }
    if let Some(value) = index(&TENS) {
        return Some(Part::Tens((value + 2) * 10));
    }
    if word == "hundred" {
        return Some(Part::Hundred);
    }
    SCALES.iter().find(|(scale, _)| *scale == word).map(|(_, value)| Part::Scale(*value))
}

/// The part that an ordinal is: `third`, `twentieth`, `hundredth`.
pub(super) fn ordinal(word: &str) -> Option<Part> {
    if let Some(value) = ORDINAL_DIGITS.iter().position(|known| *known == word) {
        return Some(Part::Digit(value as u128));
    }
    let stem = word.strip_suffix("th")?;
    match stem.strip_suffix("ie") {
        Some(tens) => cardinal(&format!("{tens}y")).filter(|part| matches!(part, Part::Tens(_))),
        None if stem == "twelf" => Some(Part::Teen(12)),
        None => cardinal(stem).filter(|part| !matches!(part, Part::Digit(_) | Part::Tens(_))),
    }
}

/// The number of a decade: 80 of `eighties`.
pub(super) fn decade(word: &str) -> Option<u128> {
    match cardinal(&format!("{}y", word.strip_suffix("ies")?))? {
        Part::Tens(value) => Some(value),
        Part::Digit(_) | Part::Teen(_) | Part::Hundred | Part::Scale(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_values() {
        assert_eq!(cardinal("seven"), Some(Part::Digit(7)));
        assert_eq!(cardinal("forty"), Some(Part::Tens(40)));
        assert_eq!(ordinal("twelfth"), Some(Part::Teen(12)));
        assert_eq!(ordinal("thirtieth"), Some(Part::Tens(30)));
        assert_eq!(ordinal("thousandth"), Some(Part::Scale(1000)));
        assert_eq!((ordinal("with"), ordinal("month"), ordinal("tenth")), (None, None, Some(Part::Teen(10))));
        assert_eq!((decade("nineties"), decade("series")), (Some(90), None));
    }
}
