//! Numbers that name something: rooms, flights, roads, houses. They have no separators of thousands.

use super::Reading;
use super::context;
use super::runs::Run;
use crate::spoken::{SpokenLine, scale};

/// Words before the number of something.
const NAMED: [&str; 27] = [
    "room",
    "flight",
    "gate",
    "suite",
    "apartment",
    "route",
    "highway",
    "interstate",
    "extension",
    "bus",
    "train",
    "channel",
    "unit",
    "building",
    "section",
    "form",
    "model",
    "platform",
    "locker",
    "box",
    "page",
    "chapter",
    "exit",
    "studio",
    "lot",
    "boeing",
    "airbus",
];
/// The last word of a street's name.
const STREETS: [&str; 13] = [
    "street",
    "avenue",
    "road",
    "drive",
    "lane",
    "boulevard",
    "court",
    "parkway",
    "terrace",
    "highway",
    "place",
    "circle",
    "way",
];
/// Maximum words of a street's name before `street`.
const STREET_WORDS: usize = 3;

pub(super) fn find(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    let tokens = run.tokens.clone();
    if line.before(tokens.start) == "covid" && run.single().is_some_and(|numeral| numeral.value == 19) {
        return Reading::written(tokens.start - 1..tokens.end, "COVID-19".to_owned());
    }
    if !run.whole || run.numbers.iter().any(|number| !number.spoken || !number.is_whole()) {
        return None;
    }
    if version(line, run).is_some() || !(is_named(line, run) || is_house(line, tokens.end)) {
        return None;
    }
    let (letter, end) = house_letter(line, tokens.end);
    let digits = match run.numbers.as_slice() {
        [one] => scaled(one.value, line.word(tokens.end - 1))?,
        [_, ..] => run.figures().filter(|digits| digits.len() >= 3)?,
        [] => return None,
    };
    Reading::written(tokens.start..end, digits + &letter)
}

/// The letter after the number of a house, `twenty one b baker street`, and the token after it.
fn house_letter(line: SpokenLine<'_>, at: usize) -> (String, usize) {
    let letter = Some(line.word(at)).filter(|word| matches!(*word, "b" | "c" | "d" | "e" | "f"));
    let letter = letter.filter(|_| is_house(line, at + 1));
    letter.map_or((String::new(), at), |letter| (letter.to_uppercase(), at + 1))
}

/// A number from ten on, but not `two million`.
fn scaled(value: u64, last: &str) -> Option<String> {
    let large = scale(last).is_some_and(|(_, scale)| scale >= 1_000_000);
    ((10..100_000).contains(&value) && !large).then(|| value.to_string())
}

fn is_named(line: SpokenLine<'_>, run: &Run) -> bool {
    let before = line.before(run.tokens.start);
    let counted = run.numbers.len() > 1 && context::counts(line, run.tokens.end);
    NAMED.contains(&before) && !counted
}

/// Whether this is the last word of a street's name.
pub(super) fn is_street(word: &str) -> bool {
    STREETS.contains(&word)
}

/// Whether the name of a street follows: `twelve fifty main street`.
fn is_house(line: SpokenLine<'_>, at: usize) -> bool {
    let is_name = |at: usize| {
        let word = line.word(at);
        let letters = !word.is_empty() && word.chars().all(char::is_alphabetic);
        letters && !context::is_function_word(word)
    };
    let name =
        (at..at + STREET_WORDS).take_while(|at| is_name(*at) && !STREETS.contains(&line.word(*at))).count();
    name > 0 && STREETS.contains(&line.word(at + name))
}

/// Whether this is a version with a point, which is written as a decimal number.
fn version(line: SpokenLine<'_>, run: &Run) -> Option<()> {
    (line.word(run.tokens.end) == "point").then_some(())
}
