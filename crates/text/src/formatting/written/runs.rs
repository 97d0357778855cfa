//! Runs of number words: `nineteen ninety nine` is a run of two numbers, 19 and 99.

use std::ops::Range;

use super::context;
use crate::spoken::{Numeral, SpokenLine, digit, is_number_word, number};

/// Maximum numbers in a run. A longer one stays in words, because it is not read to its end.
const MAX_NUMBERS: usize = 24;

/// Numbers that follow each other without any other word.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(super) numbers: Vec<Numeral>,
    pub(super) tokens: Range<usize>,
    /// Whether no number word beside it is left over.
    pub(super) whole: bool,
}

impl Run {
    /// The run that begins at a token.
    pub(crate) fn read(line: SpokenLine<'_>, at: usize) -> Option<Self> {
        let mut run = Self { numbers: Vec::new(), tokens: at..at, whole: false };
        let mut next = at;
        while let Some((numeral, times)) = item(line, next, run.numbers.is_empty()) {
            if run.numbers.len() >= MAX_NUMBERS {
                break;
            }
            run.tokens.end = numeral.tokens.end;
            let last = numeral.ordinal;
            run.numbers.extend((0..times).map(|_| numeral.clone()));
            if last {
                break;
            }
            next = line.past_hyphen(run.tokens.end);
        }
        if run.numbers.is_empty() {
            return None;
        }
        run.whole = begins_whole(line, at) && ends_whole(line, &run);
        Some(run)
    }

    /// Its only number.
    pub(super) fn single(&self) -> Option<&Numeral> {
        self.numbers.first().filter(|_| self.whole && self.numbers.len() == 1)
    }

    /// Its numbers, if it has several and none is left over.
    pub(super) fn several(&self) -> Option<&[Numeral]> {
        (self.whole && self.numbers.len() > 1).then_some(self.numbers.as_slice())
    }

    /// Its digits, if they were spoken one by one.
    pub(super) fn digits(&self) -> Option<String> {
        let one = |numeral: &Numeral| {
            let plain = numeral.is_whole() && numeral.spoken && numeral.value < 10;
            plain.then(|| numeral.value.to_string())
        };
        self.numbers.iter().map(one).collect()
    }

    /// Its digits, if they were spoken one by one or in pairs: 1250 for `twelve fifty`.
    pub(super) fn figures(&self) -> Option<String> {
        let one = |numeral: &Numeral| {
            let plain = numeral.is_whole() && numeral.spoken && numeral.value < 100;
            plain.then(|| numeral.value.to_string())
        };
        self.numbers.iter().map(one).collect()
    }
}

/// One number of a run, and how many times it counts (`double five`).
fn item(line: SpokenLine<'_>, at: usize, first: bool) -> Option<(Numeral, usize)> {
    let times = match line.word(at) {
        "double" => 2,
        "triple" => 3,
        "a" | "an" if !first => return None,
        "oh" | "o" if first || line.word(at + 1) == "clock" => return None,
        "oh" | "o" => return zero(at).map(|zero| (zero, 1)),
        _ => {
            let fits = |numeral: &Numeral| first || numeral.spoken && !numeral.ordinal;
            return number(line, at).filter(fits).map(|numeral| (numeral, 1));
        }
    };
    digit(line.word(at + 1))?;
    let repeated = number(line, at + 1).or_else(|| zero(at + 1));
    repeated.filter(|numeral| numeral.value < 10 && numeral.is_whole()).map(|numeral| (numeral, times))
}

fn zero(at: usize) -> Option<Numeral> {
    Some(Numeral {
        tokens: at..at + 1,
        value: 0,
        fraction: None,
        round: None,
        spoken: true,
        vague: false,
        ordinal: false,
    })
}

/// Whether the words before belong to something else.
fn begins_whole(line: SpokenLine<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return true };
    let word = line.word(before);
    let article = matches!(line.word(at), "a" | "an");
    let part = |word: &str| {
        matches!(word, "half" | "quarter" | "third" | "thirds" | "quarters" | "tenth" | "tenths")
    };
    let share = article
        && (part(word)
            || word == "of" && (part(line.before(before)) || line.is_digits(before.wrapping_sub(1))));
    // `at this point ten people left`, but not `up point five percent`.
    let decimal = word == "point" && !is_noun_phrase(line.before(before));
    let counted =
        matches!(word, "double" | "triple" | "dot" | "couple") || is_unread(word) || is_number_word(word);
    let counted = counted || line.is_digits(before);
    let inside =
        line.is_digits(at) && line.touches(at) && !matches!(word, "(" | "\"" | "“" | "'" | "-" | "–" | "—");
    // `half ten` is a time.
    let half = word == "half"
        && (before == 0 || matches!(line.before(before), "at" | "it's" | "is" | "by" | "about" | "around"));
    // `at one point twenty percent left`.
    let moment = word == "at" && line.word(at) == "one" && line.word(at + 1) == "point";
    !moment && !half && !share && !decimal && !counted && !inside
}

/// Number words that are not read, so that a number beside them is not complete.
fn is_unread(word: &str) -> bool {
    const WORDS: [&str; 14] = [
        "dozen",
        "thousands",
        "millions",
        "billions",
        "hundredths",
        "thousandths",
        "quadrillion",
        "quintillion",
        "sextillion",
        "septillion",
        "lakh",
        "lakhs",
        "crore",
        "crores",
    ];
    WORDS.contains(&word)
}

/// `seven's`, `sevens`, `sixty's`.
fn is_inflected(word: &str) -> bool {
    let stem = word.strip_suffix("'s").or_else(|| word.strip_suffix("es")).or_else(|| word.strip_suffix('s'));
    let whole = word.strip_suffix('s');
    let tens = word.strip_suffix("'s").is_some_and(is_number_word);
    tens || [stem, whole].into_iter().flatten().any(|stem| digit(stem).is_some_and(|_| stem.len() > 2))
}

/// Whether a noun follows the word.
fn is_noun_phrase(word: &str) -> bool {
    matches!(
        word,
        "a" | "the" | "this" | "that" | "some" | "what" | "which" | "every" | "no" | "my" | "your" | "his"
    )
}

/// Whether the words after belong to something else.
fn ends_whole(line: SpokenLine<'_>, run: &Run) -> bool {
    let end = run.tokens.end;
    let next = line.past_hyphen(end);
    let word = line.word(next);
    let counted = is_number_word(word)
        || is_inflected(word)
        || line.is_digits(next)
        || is_unread(word)
        || word == "dot";
    let decimal = word == "point" && context::is_number(line, next + 1);
    let inside =
        line.is_digits(end.wrapping_sub(1)) && line.touches(end) && is_joined(line.word(end), line, end);
    !decimal && !inside && !counted
}

/// Whether a sign or letters continue a number in digits, as in `3:30`, `5/8` and `5G`.
fn is_joined(word: &str, line: SpokenLine<'_>, at: usize) -> bool {
    let letters = word.chars().all(char::is_alphanumeric);
    letters || matches!(word, ":" | "/" | "-" | "," | ".") && line.touches(at + 1) && line.is_digits(at + 1)
}
