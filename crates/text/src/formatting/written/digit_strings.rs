//! Phone numbers and codes whose digits are spoken one by one.

use super::Reading;
use super::context;
use super::runs::Run;
use crate::spoken::{Numeral, SpokenLine, digit};

/// Minimum digits of a code without a word that announces it.
const CODE: usize = 4;
/// Minimum digits of a code that a word announces.
const SHORT_CODE: usize = 2;
/// Minimum digits of a code after `oh` without such a word.
const WITH_ZERO: usize = 6;
/// Maximum digits; longer runs stay words.
const LONGEST: usize = 19;
/// Words that announce digits, directly before them or with `is`, `at`, `number` and the like between.
const ANNOUNCING: [&str; 41] = [
    "call",
    "dial",
    "dialed",
    "phone",
    "telephone",
    "mobile",
    "cell",
    "fax",
    "text",
    "number",
    "extension",
    "ext",
    "code",
    "codes",
    "pin",
    "zip",
    "passcode",
    "password",
    "account",
    "order",
    "ticket",
    "invoice",
    "confirmation",
    "reference",
    "serial",
    "tracking",
    "card",
    "digits",
    "room",
    "flight",
    "suite",
    "apartment",
    "gate",
    "route",
    "highway",
    "id",
    "port",
    "error",
    "badge",
    "postcode",
    "ending",
];
const BETWEEN: [&str; 11] = ["is", "in", "at", "on", "number", "it's", "me", "us", "code", ":", ","];

pub(crate) fn find(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    if !run.whole {
        return None;
    }
    if let Some(phone) = in_groups(line, run) {
        return Some(phone);
    }
    let zeros = leading_zeros(line, run.tokens.start);
    let start = run.tokens.start - zeros;
    let announced = is_announced(line, start);
    let digits = toll_free(line, run, zeros).or_else(|| run.digits()).or_else(|| pairs(run, announced))?;
    let digits = format!("{}{digits}", "0".repeat(zeros));
    let least = if announced { SHORT_CODE } else { CODE };
    if digits.len() < least || run.numbers.len() + zeros < 2 {
        return None;
    }
    // `oh` may be an exclamation.
    let exclaimed = zeros > 0 && !announced && (digits.len() < WITH_ZERO || zeros > 1);
    if digits.len() > LONGEST || exclaimed || is_list(line, run, &digits, announced) {
        return Some(Reading::Words(run.tokens.end));
    }
    let plus = line.before(start) == "plus" && digits.len() >= 8;
    let text = if plus { international(&digits) } else { grouped(&digits) };
    Reading::written(start - usize::from(plus)..run.tokens.end, text)
}

/// The number of zeros that were spoken as `oh` before a run, which does not begin with `oh`.
fn leading_zeros(line: SpokenLine<'_>, start: usize) -> usize {
    context::words_before(line, start).take_while(|word| matches!(*word, "oh" | "o")).count()
}

/// Whether the digits may be several numbers.
fn is_list(line: SpokenLine<'_>, run: &Run, digits: &str, announced: bool) -> bool {
    let end = run.tokens.end;
    let counted = context::counts(line, end) && !announced;
    // `number one two three four` counts.
    let counting =
        line.before(run.tokens.start) == "number" && is_sequence(digits) && digits.starts_with('1');
    let repeated = is_sequence(digits) || is_stutter(digits) || is_tennis(digits);
    // The first digit of a list may be meant alone: `call one two three times`.
    let short = digits.len() < CODE && !context::is_open(line, end);
    counted || counting || !announced && repeated || short
}

/// A phone number in groups: `five five five dash one two three four`.
fn in_groups(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    let mut groups = vec![run.digits()?];
    let mut end = run.tokens.end;
    while let Some(next) = Run::read(line, end + 1).filter(|next| {
        matches!(line.word(end), "dash" | "hyphen" | "," | "-") && next.whole && groups.len() < 4
    }) {
        groups.push(next.digits()?);
        end = next.tokens.end;
    }
    let lengths: Vec<usize> = groups.iter().map(String::len).collect();
    let is_phone = matches!(lengths.as_slice(), [3, 4] | [3, 3, 4] | [1, 3, 3, 4]);
    if is_phone {
        return Reading::written(run.tokens.start..end, grouped(&groups.concat()));
    }
    let dashed = matches!(line.word(run.tokens.end), "dash" | "hyphen");
    (groups.len() > 1 && dashed).then_some(Reading::Words(end))
}

/// `eight hundred` and seven digits, with or without a one before. After a zero, as in Britain, there may be six.
fn toll_free(line: SpokenLine<'_>, run: &Run, zeros: usize) -> Option<String> {
    let words = (run.tokens.start..run.tokens.end).map(|at| line.word(at)).filter(|word| *word != "-");
    let words: Vec<&str> = words.collect();
    let (country, words) =
        if words.first() == Some(&"one") { ("1", &words[1..]) } else { ("", words.as_slice()) };
    let [area, "hundred", rest @ ..] = words else { return None };
    let rest: Option<String> = rest.iter().map(|word| digit(word)).collect();
    let rest = rest.filter(|rest| rest.len() == 7 || rest.len() == 6 && zeros == 1)?;
    digit(area).map(|area| format!("{country}{area}00{rest}"))
}

/// A phone number with some of its digits in pairs: `five five five twelve twelve`.
fn pairs(run: &Run, announced: bool) -> Option<String> {
    let single = |numeral: &&Numeral| numeral.value < 10;
    let singles = run.numbers.iter().filter(single).count();
    let leading = run.numbers.iter().take_while(single).count();
    let digits = run.figures()?;
    let phone = matches!(digits.len(), 7 | 10 | 11) && leading >= 3;
    let code = announced && singles >= 1 && digits.len() >= 3;
    (phone || code).then_some(digits)
}

/// Whether a word before announces digits.
fn is_announced(line: SpokenLine<'_>, start: usize) -> bool {
    let before = context::words_before(line, start).take(4).skip_while(|word| BETWEEN.contains(word));
    let nearest = context::words_before(line, start).take(4).take_while(|word| BETWEEN.contains(word));
    let close = |word: &str| ANNOUNCING.contains(&word);
    before.take(1).any(close) || nearest.into_iter().any(close)
}

/// Whether the digits only count up or down, some of them twice, as `one two three four` and `two two three four`.
fn is_sequence(digits: &str) -> bool {
    let steps = || digits.as_bytes().windows(2).map(|pair| i16::from(pair[1]) - i16::from(pair[0]));
    steps().all(|step| matches!(step, 0 | 1)) || steps().all(|step| matches!(step, 0 | -1))
}

/// Whether a few digits are only repeated, as `one one one one`.
fn is_stutter(digits: &str) -> bool {
    let mut different: Vec<u8> = digits.bytes().collect();
    different.sort_unstable();
    different.dedup();
    digits.len() < 7 && different.len() < 3
}

/// Whether the digits may be the sets of a tennis match, as `six four six three`.
fn is_tennis(digits: &str) -> bool {
    let set = |pair: &[u8]| {
        let (more, less) = (pair[0].max(pair[1]) - b'0', pair[0].min(pair[1]) - b'0');
        more == 6 && less < 5 || more == 7 && matches!(less, 5 | 6)
    };
    matches!(digits.len(), 4 | 6) && digits.as_bytes().chunks(2).all(set)
}

/// Phone numbers as in North America, others without separators.
fn grouped(digits: &str) -> String {
    match digits.len() {
        _ if digits.starts_with('0') => digits.to_owned(),
        7 => format!("{}-{}", &digits[..3], &digits[3..]),
        10 => format!("{}-{}-{}", &digits[..3], &digits[3..6], &digits[6..]),
        11 if digits.starts_with('1') => format!("1-{}", grouped(&digits[1..])),
        _ => digits.to_owned(),
    }
}

/// A phone number with the code of its country.
fn international(digits: &str) -> String {
    if digits.len() == 11 && digits.starts_with('1') {
        format!("+{}", grouped(digits))
    } else {
        format!("+{digits}")
    }
}
