//! Dates: days, months and years.

use super::numerals::{cardinal, nth, ordinal, small, two_digits};
use super::{Expression, Meaning, SpokenLine};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const NEAR_DAYS: [&str; 4] = ["today", "tomorrow", "yesterday", "tonight"];
const SPANS: [&str; 6] = ["week", "month", "year", "quarter", "weekend", "summer"];
const PARTS: [&str; 4] = ["morning", "afternoon", "evening", "night"];
/// Words that are followed by a year.
const BEFORE_YEARS: [&str; 14] = [
    "in", "since", "by", "until", "year", "from", "before", "after", "during", "summer", "spring", "fall",
    "winter", "autumn",
];

pub(crate) fn is_calendar_word(word: &str) -> bool {
    MONTHS.contains(&word) && !matches!(word, "may" | "march" | "august") || WEEKDAYS.contains(&word)
}

pub(super) fn find(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
    let date = |end: usize, written: Option<String>| Some(Expression::new(at..end, Meaning::Date, written));
    if let Some(month) = MONTHS.iter().position(|month| *month == line.word(at)) {
        return in_month(line, at, month);
    }
    if let Some(end) = numeric(line, at).or_else(|| near(line, at)) {
        return date(end, None);
    }
    day_of_month(line, at).or_else(|| ago(line, at)).or_else(|| lone_year(line, at))
}

/// `June 5, 2026`, `June 2026`, `June`.
fn in_month(line: SpokenLine<'_>, at: usize, month: usize) -> Option<Expression> {
    let name = title(MONTHS[month]);
    let capital = line.get(at).is_some_and(|token| token.capital);
    let ambiguous = matches!(MONTHS[month], "may" | "march");
    if let Some((day, end, form)) = day(line, at + 1).filter(|(_, end, form)| {
        !ambiguous || capital || *form != DayForm::Cardinal || year(line, *end).is_some()
    }) {
        let comma = if line.word(end) == "," { end + 1 } else { end };
        let year = year(line, comma);
        let end = year.map_or(end, |(_, end, _)| end);
        let spoken = form == DayForm::Ordinal
            || form == DayForm::Cardinal
            || year.is_some_and(|(_, _, spoken)| spoken);
        let written = match year {
            Some((year, _, _)) => format!("{name} {day}, {year}"),
            None => format!("{name} {day}"),
        };
        return Some(Expression::new(at..end, Meaning::Date, spoken.then_some(written)));
    }
    if let Some((year, end, spoken)) = year(line, at + 1) {
        return Some(Expression::new(at..end, Meaning::Date, spoken.then(|| format!("{name} {year}"))));
    }
    let surely = !ambiguous
        || capital
            && at > 0
            && matches!(line.before(at), "in" | "last" | "next" | "this" | "since" | "until" | "by" | "of");
    surely.then(|| Expression::new(at..at + 1, Meaning::Date, None))
}

/// How the day of a month is given.
#[derive(Debug, Clone, Copy, PartialEq)]
enum DayForm {
    /// `fifth`
    Ordinal,
    /// `five`
    Cardinal,
    /// `5` or `5th`
    Digits,
}

/// The day of a month: `fifth`, `five`, `5th`, `5`.
fn day(line: SpokenLine<'_>, at: usize) -> Option<(u64, usize, DayForm)> {
    let at = if line.word(at) == "the" { at + 1 } else { at };
    let found = ordinal(line, at)
        .map(|(day, end, spoken)| (day, end, if spoken { DayForm::Ordinal } else { DayForm::Digits }));
    let counted = || {
        let number = cardinal(line, at).filter(|number| number.fraction.is_none() && !number.vague)?;
        Some((number.value, number.end, if number.spoken { DayForm::Cardinal } else { DayForm::Digits }))
    };
    found.or_else(counted).filter(|(day, _, _)| (1..32).contains(day))
}

/// `5th of June`.
fn day_of_month(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
    let (day, end, spoken) = ordinal(line, at).filter(|(day, ..)| (1..32).contains(day))?;
    let month =
        MONTHS.iter().position(|month| *month == line.word(end + 1)).filter(|_| line.word(end) == "of")?;
    let year = year(line, end + 2);
    let last = year.map_or(end + 2, |(_, end, _)| end);
    let year_text = year.map_or(String::new(), |(year, ..)| format!(" {year}"));
    let spoken = spoken || year.is_some_and(|(_, _, spoken)| spoken);
    let written = spoken.then(|| format!("{} of {}{year_text}", nth(day), title(MONTHS[month])));
    Some(Expression::new(at..last, Meaning::Date, written))
}

/// The end of a relative date: `next Monday`, `last week`, `tomorrow morning`.
fn near(line: SpokenLine<'_>, at: usize) -> Option<usize> {
    let part = |end: usize| if PARTS.contains(&line.word(end)) { end + 1 } else { end };
    let is_day = |at: usize| WEEKDAYS.contains(&line.word(at));
    if is_day(at) || NEAR_DAYS.contains(&line.word(at)) {
        return Some(part(at + 1));
    }
    if !matches!(line.word(at), "next" | "last" | "this" | "past" | "coming") {
        return None;
    }
    if is_day(at + 1) {
        return Some(part(at + 2));
    }
    let month = MONTHS.contains(&line.word(at + 1)) && !matches!(line.word(at + 1), "may" | "march");
    (SPANS.contains(&line.word(at + 1)) || month).then_some(at + 2)
}

/// `two weeks ago`.
fn ago(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
    let (count, spoken, value, end) = match line.word(at) {
        "a" if small(line.word(at + 1)).is_none() => (None, false, 1, at + 1),
        _ => {
            let number = cardinal(line, at).filter(|number| !number.vague)?;
            (Some(number.written()), number.spoken, number.value, number.end)
        }
    };
    let unit = line.word(end);
    let known = matches!(unit, "days" | "day" | "weeks" | "week" | "months" | "month" | "years" | "year");
    let written = count.filter(|_| spoken && value >= 10).map(|count| format!("{count} {unit} ago"));
    (known && line.word(end + 1) == "ago").then(|| Expression::new(at..end + 2, Meaning::Date, written))
}

/// The end of a numeric date: `5/12/2026`, `2026-06-05`.
fn numeric(line: SpokenLine<'_>, at: usize) -> Option<usize> {
    let part = |at: usize| {
        line.is_digits(at).then(|| line.word(at)).filter(|part| part.len() <= 4 && !part.contains(['.', ',']))
    };
    let sign = line.word(at + 1);
    let whole =
        matches!(sign, "/" | "-") && line.word(at + 3) == sign && (1..5).all(|next| line.touches(at + next));
    let parts = (part(at)?, part(at + 2)?, part(at + 4)?);
    let year_first = parts.0.len() == 4 && parts.1.len() <= 2 && parts.2.len() <= 2;
    let year_last = parts.0.len() <= 2 && parts.1.len() <= 2 && matches!(parts.2.len(), 2 | 4);
    (whole && (year_first || year_last)).then_some(at + 5)
}

/// A year such as `1984`, if the word before it shows that it is one.
fn lone_year(line: SpokenLine<'_>, at: usize) -> Option<Expression> {
    let (year, end, spoken) = year(line, at)?;
    let is_announced =
        BEFORE_YEARS.contains(&line.before(at)) || line.before(at) == "of" && !line.is_digits(at);
    let is_spoken_as_year =
        spoken && matches!(line.word(at), "sixteen" | "seventeen" | "eighteen" | "nineteen");
    (is_announced || is_spoken_as_year)
        .then(|| Expression::new(at..end, Meaning::Date, spoken.then(|| year.to_string())))
}

/// A year in digits or in words: its value, the token after it, and whether it is in words.
fn year(line: SpokenLine<'_>, at: usize) -> Option<(u64, usize, bool)> {
    let word = line.word(at);
    if line.is_digits(at) {
        let year = (word.len() == 4)
            .then(|| word.parse::<u64>().ok())
            .flatten()
            .filter(|year| (1500..2200).contains(year));
        return year.map(|year| (year, at + 1, false));
    }
    let century = match word {
        "sixteen" | "seventeen" | "eighteen" | "nineteen" => small(word)?,
        "twenty" => 20,
        _ => {
            let number = cardinal(line, at)
                .filter(|number| (2000..2100).contains(&number.value) && number.fraction.is_none())?;
            return Some((number.value, number.end, true));
        }
    };
    let (rest, end) = two_digits(line, at + 1)?;
    Some((century * 100 + rest, end, true))
}

pub(crate) fn title(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
