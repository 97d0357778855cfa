//! Numbers after `minus` and `point`: `minus five degrees`, `point five percent`.

use super::amounts::Amount;
use super::context;
use super::runs::Run;
use super::{Reading, quantities, suffixes};
use crate::spoken::{SpokenLine, fraction, is_number_word};

/// Words shortly before the result of a test.
const TESTS: [&str; 16] = [
    "test", "tests", "tested", "testing", "swab", "swabs", "screen", "screened", "came", "come", "comes",
    "coming", "back", "hiv", "covid", "result",
];
/// Words before the result that are looked at: `the test was negative`.
const RESULT_WORDS: usize = 3;

pub(super) fn find(line: SpokenLine<'_>, at: usize) -> Option<Reading> {
    match line.word(at) {
        "minus" | "negative" => negative(line, at),
        "point" => leading_point(line, at),
        _ => None,
    }
}

fn negative(line: SpokenLine<'_>, at: usize) -> Option<Reading> {
    let before = line.before(at);
    let run = Run::read(line, at + 1)?;
    let binary = at > 0 && line.is_digits(at - 1) || is_number_word(before) || before.len() == 1;
    if binary || matches!(before, "or" | "the" | "an") || is_result(line, at, 1) {
        return None;
    }
    let mut amount = Amount::of(line, &run).filter(|amount| amount.spoken)?;
    amount.tokens.start = at;
    amount.negative = true;
    amount.mixed = None;
    let whole = amount.tokens.clone();
    // `the team minus two players`.
    let bare = !context::counts(line, whole.end) && !is_result(line, at, RESULT_WORDS);
    let alone = || bare.then(|| amount.written()).and_then(|text| Reading::written(whole, text));
    quantities::with_suffix(line, &amount).or_else(alone)
}

/// `she tested negative two days ago`: `negative` is the result of a test. Looks at up to `words` words before it.
fn is_result(line: SpokenLine<'_>, at: usize, words: usize) -> bool {
    let mut nearest = context::words_before(line, at).take(words);
    line.word(at) == "negative" && nearest.any(|word| TESTS.contains(&word))
}

/// `point five percent`, if `point` is not a word of the sentence, as in `at that point five percent left`.
fn leading_point(line: SpokenLine<'_>, at: usize) -> Option<Reading> {
    let (digits, end) = fraction(line, at + 1)?;
    let free = at == 0
        || matches!(
            line.before(at),
            "up" | "down" | "to" | "by" | "about" | "only" | "than" | "is" | "was" | "just"
        );
    let (suffix, after) = suffixes::read(line, end).filter(|_| free && !context::is_number(line, end))?;
    match suffix {
        suffixes::Suffix::Percent => Reading::written(at..after, format!("0.{digits}%")),
        suffixes::Suffix::Money(_) | suffixes::Suffix::Measure(_) => None,
    }
}
