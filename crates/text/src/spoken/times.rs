//! Times of day.

use super::numerals::{is_number_word, small, two_digits};
use super::{Expression, Meaning, SpokenLine};

pub(super) fn find(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
    let word = line.word(at);
    if matches!(word, "noon" | "midnight" | "midday") {
        return Some(Expression::new(at..at + 1, Meaning::Time, None));
    }
    if matches!((word, line.word(at + 1)), ("half", "past") | ("quarter", "past" | "to" | "after")) {
        let hour = small(line.word(at + 2)).is_some() || line.is_digits(at + 2);
        return hour.then(|| Expression::new(at..at + 3, Meaning::Time, None));
    }
    if line.is_digits(at) { digital(line, at) } else { spoken(line, at) }
}

/// A time in digits: `3:30`, `3:30 pm`, `3 pm`.
fn digital(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
    let number = |at: usize| line.word(at).parse::<u64>().ok();
    number(at).filter(|hour| *hour < 25)?;
    let minutes = line.word(at + 1) == ":" && line.touches(at + 1) && line.touches(at + 2);
    let minutes = minutes && line.word(at + 2).len() == 2 && number(at + 2).is_some_and(|minute| minute < 60);
    let end = if minutes { at + 3 } else { at + 1 };
    if let Some((_, end)) = half_of_day(line, end) {
        // The full stop of `p.m.` belongs to the time, even if it also ends the sentence.
        let dot = line.word(end) == "." && line.word(end - 2) == ".";
        return Some(Expression::new(at..end + usize::from(dot), Meaning::Time, None));
    }
    if line.word(end) == "o'clock" {
        return Some(Expression::new(at..end + 1, Meaning::Time, None));
    }
    minutes.then(|| Expression::new(at..end, Meaning::Time, None))
}

fn spoken(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
    let hour = small(line.word(at)).filter(|hour| (1..13).contains(hour))?;
    if line.word(at + 1) == "o'clock" {
        return Some(Expression::new(at..at + 2, Meaning::Time, Some(format!("{hour} o'clock"))));
    }
    let minutes = two_digits(line, at + 1).filter(|(minutes, _)| *minutes < 60);
    let end = minutes.map_or(at + 1, |(_, end)| end);
    let clock = minutes.map_or(hour.to_string(), |(minutes, _)| format!("{hour}:{minutes:02}"));
    if let Some((half, mut end)) = half_of_day(line, end) {
        // The last full stop may end the sentence.
        let inside = line.word(end) == "." && line.word(end - 2) == "." && end + 1 < line.tokens.len();
        end += usize::from(inside);
        return Some(Expression::new(at..end, Meaning::Time, Some(format!("{clock} {half}"))));
    }
    let asked = matches!(line.before(at), "at" | "by" | "until" | "till" | "before" | "after" | "around");
    let counted = is_number_word(line.word(end))
        || matches!(line.word(end), "percent" | "dollars" | "people" | "cents");
    (minutes.is_some() && asked && !counted).then(|| Expression::new(at..end, Meaning::Time, Some(clock)))
}

/// `am`, `p.m`, `a m`: the half of the day and the token after it, without a final full stop.
fn half_of_day(line: SpokenLine<'_>, at: usize) -> Option<(&'static str, usize)> {
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
