//! Money, percentages and plain numbers.

use super::numerals::{Numeral, cardinal, is_number_word, nth, ordinal};
use super::{Expression, Meaning, SpokenLine};

pub(super) fn find(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
    if matches!(line.word(at), "$" | "€" | "£" | "¥") && line.is_digits(at + 1) && line.touches(at + 1) {
        return Some(Expression::new(at..cardinal(line, at + 1)?.end, Meaning::Money, None));
    }
    if let Some(found) = ranked(line, at) {
        return Some(found);
    }
    let number = cardinal(line, at)?;
    percent(line, at, &number).or_else(|| money(line, at, &number)).or_else(|| plain(line, at, number))
}

/// `21st`. Ordinals below ten stay words.
fn ranked(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
    let (value, end, spoken) = ordinal(line, at)?;
    let written = (spoken && value >= 10).then(|| nth(value));
    (value >= 10).then(|| Expression::new(at..end, Meaning::Ordinal, written))
}

fn percent(line: SpokenLine<'_>, at: usize, number: &Numeral) -> Option<Expression> {
    let end = match (line.word(number.end), line.word(number.end + 1)) {
        ("%", _) => return Some(Expression::new(at..number.end + 1, Meaning::Percent, None)),
        ("percent", _) => number.end + 1,
        ("per", "cent") => number.end + 2,
        _ => return None,
    };
    let written = (!number.vague).then(|| format!("{}%", number.written()));
    Some(Expression::new(at..end, Meaning::Percent, written))
}

fn money(line: SpokenLine<'_>, at: usize, number: &Numeral) -> Option<Expression> {
    let end = number.end + 1;
    let sign = match line.word(number.end) {
        "dollars" | "dollar" => "$",
        "euros" | "euro" => "€",
        "cents" | "bucks" => {
            let name = line.word(number.end);
            let written = (number.spoken && !number.vague).then(|| format!("{} {name}", number.written()));
            return Some(Expression::new(at..end, Meaning::Money, written));
        }
        _ => return None,
    };
    if let Some((cents, end)) =
        cents(line, end).filter(|_| number.fraction.is_none() && number.round.is_none())
    {
        let written = format!("{sign}{}.{cents:02}", number.written());
        return Some(Expression::new(at..end, Meaning::Money, Some(written)));
    }
    let written = (!number.vague).then(|| format!("{sign}{}", number.written()));
    Some(Expression::new(at..end, Meaning::Money, written))
}

/// `and fifty cents`.
fn cents(line: SpokenLine<'_>, at: usize) -> Option<(u64, usize)> {
    let from = if line.word(at) == "and" { at + 1 } else { at };
    let cents = cardinal(line, from).filter(|cents| cents.value < 100 && cents.fraction.is_none())?;
    matches!(line.word(cents.end), "cents" | "cent").then_some((cents.value, cents.end + 1))
}

fn plain(line: SpokenLine<'_>, at: usize, number: Numeral) -> Option<Expression> {
    // Two numbers in a row are ambiguous: a range, a score or an estimate.
    let alone = !is_number_word(line.word(number.end)) && !is_number_word(line.before(at));
    let exact = number.spoken && !number.vague && alone;
    let written = exact.then(|| number.written()).filter(|_| number.value >= 10 || number.fraction.is_some());
    // `one` is usually a pronoun.
    let pronoun = number.spoken && number.value == 1 && number.fraction.is_none();
    (!pronoun).then(|| Expression::new(at..number.end, Meaning::Number, written))
}
