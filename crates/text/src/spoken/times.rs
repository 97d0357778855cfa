//! Times of day.

use super::amounts::is_counted_with;
use super::number_words::small;
use super::numerals::two_digits;
use super::{Expression, Meaning, SpokenLine};

pub(super) fn find(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
    let word = line.word(at);
    let end = if matches!(word, "noon" | "midnight" | "midday") {
        Some(at + 1)
    } else if matches!((word, line.word(at + 1)), ("half", "past") | ("quarter", "past" | "to" | "after")) {
        let hour = small(line.word(at + 2)).is_some() || line.is_digits(at + 2);
        hour.then_some(at + 3)
    } else if line.is_digits(at) {
        digital(line, at)
    } else {
        spoken(line, at)
    };
    end.map(|end| Expression::new(at..end, Meaning::Time))
}

/// The end of a time in digits: `3:30`, `3:30 pm`, `3 pm`.
fn digital(line: SpokenLine<'_>, at: usize) -> Option<usize> {
    let number = |at: usize| line.word(at).parse::<u64>().ok();
    number(at).filter(|hour| *hour < 25)?;
    let minutes = line.word(at + 1) == ":" && line.touches(at + 1) && line.touches(at + 2);
    let minutes = minutes && line.word(at + 2).len() == 2 && number(at + 2).is_some_and(|minute| minute < 60);
    let end = if minutes { at + 3 } else { at + 1 };
    if let Some((_, end)) = half_of_day(line, end) {
        // The full stop of `p.m.` belongs to the time, even if it also ends the sentence.
        let dot = line.word(end) == "." && line.word(end - 2) == ".";
        return Some(end + usize::from(dot));
    }
    if line.word(end) == "o'clock" {
        return Some(end + 1);
    }
    minutes.then_some(end)
}

/// The end of a time in words.
fn spoken(line: SpokenLine<'_>, at: usize) -> Option<usize> {
    small(line.word(at)).filter(|hour| (1..13).contains(hour))?;
    if line.word(at + 1) == "o'clock" {
        return Some(at + 2);
    }
    let minutes = two_digits(line, at + 1).filter(|(minutes, _)| *minutes < 60);
    let end = minutes.map_or(at + 1, |(_, end)| end);
    if let Some((_, end)) = half_of_day(line, end) {
        // The last full stop may end the sentence.
        let inside = line.word(end) == "." && line.word(end - 2) == "." && end + 1 < line.tokens.len();
        return Some(end + usize::from(inside));
    }
    let asked = matches!(line.before(at), "at" | "by" | "until" | "till" | "before" | "after" | "around");
    (minutes.is_some() && asked && !is_counted_with(line.word(end))).then_some(end)
}

/// `am`, `p.m`, `a m`: the half of the day and the token after it, without a final full stop.
pub(crate) fn half_of_day(line: SpokenLine<'_>, at: usize) -> Option<(&'static str, usize)> {
    match line.word(at) {
        "am" => return Some(("AM", at + 1)),
        "pm" => return Some(("PM", at + 1)),
        "a" | "p" => {}
        _ => return None,
    }
    let half = if line.word(at) == "a" { "AM" } else { "PM" };
    let letter = if line.word(at + 1) == "." { at + 2 } else { at + 1 };
    (line.word(letter) == "m").then_some((half, letter + 1))
}
