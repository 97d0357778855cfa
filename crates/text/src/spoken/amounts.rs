//! Money, percentages and plain numbers.

use super::number_words::is_number_word;
use super::numerals::{Numeral, cardinal, ordinal};
use super::{Expression, Meaning, SpokenLine};

pub(super) fn find(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
    if matches!(line.word(at), "$" | "€" | "£" | "¥") && line.is_digits(at + 1) && line.touches(at + 1) {
        return Some(Expression::new(at..cardinal(line, at + 1)?.tokens.end, Meaning::Money));
    }
    if let Some((value, end, _)) = ordinal(line, at) {
        return (value >= 10).then(|| Expression::new(at..end, Meaning::Ordinal));
    }
    let number = cardinal(line, at)?;
    percent(line, &number).or_else(|| money(line, &number)).or_else(|| plain(&number))
}

fn percent(line: SpokenLine<'_>, number: &Numeral) -> Option<Expression> {
    let end = number.tokens.end;
    let end = match (line.word(end), line.word(end + 1)) {
        ("%" | "percent", _) => end + 1,
        ("per", "cent") => end + 2,
        _ => return None,
    };
    Some(Expression::new(number.tokens.start..end, Meaning::Percent))
}

fn money(line: SpokenLine<'_>, number: &Numeral) -> Option<Expression> {
    let end = number.tokens.end + 1;
    let end = match line.word(number.tokens.end) {
        "dollars" | "dollar" | "euros" | "euro" => cents(line, end).unwrap_or(end),
        "cents" | "bucks" => end,
        _ => return None,
    };
    Some(Expression::new(number.tokens.start..end, Meaning::Money))
}

/// The end of `and fifty cents`.
fn cents(line: SpokenLine<'_>, at: usize) -> Option<usize> {
    let from = if line.word(at) == "and" { at + 1 } else { at };
    let cents = cardinal(line, from).filter(|cents| cents.value < 100 && cents.fraction.is_none())?;
    matches!(line.word(cents.tokens.end), "cents" | "cent").then_some(cents.tokens.end + 1)
}

fn plain(number: &Numeral) -> Option<Expression> {
    // `one` is usually a pronoun.
    let pronoun = number.spoken && number.value == 1 && number.fraction.is_none();
    (!pronoun).then(|| Expression::new(number.tokens.clone(), Meaning::Number))
}

/// Whether the word may be counted together with a time or an amount of money.
pub(super) fn is_counted_with(word: &str) -> bool {
    is_number_word(word) || matches!(word, "percent" | "dollars" | "people" | "cents")
}
