//! Prices without a currency: `it costs twelve fifty`.

use super::Reading;
use super::context;
use super::runs::Run;
use crate::spoken::SpokenLine;

/// Words that are followed by a price.
const PRICED: [&str; 22] = [
    "cost", "costs", "costing", "pay", "pays", "paid", "paying", "charge", "charges", "charged", "charging",
    "price", "prices", "priced", "sell", "sells", "sold", "selling", "spend", "spent", "worth", "total",
];
/// Words between one of these and the price.
const BETWEEN: [&str; 18] = [
    "is", "was", "at", "for", "about", "around", "only", "just", "me", "you", "us", "him", "her", "them",
    "it", "of", "to", "comes",
];
/// What is paid for, after `a`.
const PER: [&str; 19] = [
    "month", "week", "day", "year", "hour", "piece", "pop", "pound", "gallon", "share", "head", "night",
    "person", "ticket", "bottle", "box", "barrel", "kilo", "cup",
];

pub(super) fn find(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    let [whole, cents] = run.several()? else { return None };
    let tokens = run.tokens.clone();
    let in_range = (1..100).contains(&whole.value) && (10..100).contains(&cents.value);
    let plain = [whole, cents].iter().all(|number| number.is_whole() && number.spoken);
    if !in_range || !plain || !is_priced(line, run) {
        return None;
    }
    let per = is_per(line, tokens.end);
    // `pay twenty twenty five` is an estimate.
    let rounded = whole.value.is_multiple_of(5) && cents.value.is_multiple_of(5);
    let estimate = rounded && (whole.value..=2 * whole.value).contains(&cents.value);
    let retail = matches!(cents.value, 49 | 95 | 97 | 98 | 99);
    // `two fifty` may be 250, and what follows may be counted.
    if !per && !context::is_open(line, tokens.end) || whole.value < 10 && !retail || estimate {
        return Some(Reading::Words(tokens.end));
    }
    Reading::written(tokens, format!("${}.{:02}", whole.value, cents.value))
}

/// Whether a price is announced before or explained after.
fn is_priced(line: SpokenLine<'_>, run: &Run) -> bool {
    is_announced(line, run.tokens.start) || is_per(line, run.tokens.end)
}

/// Whether a word before shows that a price begins here.
pub(super) fn is_announced(line: SpokenLine<'_>, start: usize) -> bool {
    let mut before = context::words_before(line, start).skip_while(|word| BETWEEN.contains(word)).take(1);
    before.any(|word| PRICED.contains(&word))
}

fn is_per(line: SpokenLine<'_>, end: usize) -> bool {
    match line.word(end) {
        "each" | "apiece" => true,
        "a" | "per" => PER.contains(&line.word(end + 1)),
        _ => false,
    }
}
