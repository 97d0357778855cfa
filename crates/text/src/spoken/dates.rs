//! Dates: days, months and years.

use super::number_words::small;
use super::numerals::{cardinal, ordinal, two_digits};
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
const SPANS: [&str; 11] =
    ["week", "month", "year", "quarter", "weekend", "summer", "winter", "spring", "fall", "autumn", "decade"];
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
    let end = if month(line.word(at)).is_some() {
        in_month(line, at)
    } else {
        let relative = || numeric(line, at).or_else(|| near(line, at));
        relative()
            .or_else(|| day_of_month(line, at))
            .or_else(|| ago(line, at))
            .or_else(|| lone_year(line, at))
    };
    end.map(|end| Expression::new(at..end, Meaning::Date))
}

/// The number of a month, from 0 on.
pub(crate) fn month(word: &str) -> Option<usize> {
    MONTHS.iter().position(|month| *month == word)
}

/// The name of a month with its capital.
pub(crate) fn month_name(month: usize) -> String {
    title(MONTHS[month])
}

/// The end of `June 5, 2026`, `June 2026`, `June`.
fn in_month(line: SpokenLine<'_>, at: usize) -> Option<usize> {
    let capital = line.get(at).is_some_and(|token| token.capital);
    let ambiguous = matches!(line.word(at), "may" | "march");
    let sure = |end: usize, form: DayForm| {
        !ambiguous || capital || form != DayForm::Cardinal || year(line, end).is_some()
    };
    if let Some((end, _)) = day(line, at + 1).filter(|(end, form)| sure(*end, *form)) {
        let comma = if line.word(end) == "," { end + 1 } else { end };
        return Some(year(line, comma).unwrap_or(end));
    }
    let announced =
        || matches!(line.before(at), "in" | "last" | "next" | "this" | "since" | "until" | "by" | "of");
    year(line, at + 1).or_else(|| (!ambiguous || capital && at > 0 && announced()).then_some(at + 1))
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

/// The end of the day of a month, `fifth`, `five`, `5th` or `5`, and its form.
fn day(line: SpokenLine<'_>, at: usize) -> Option<(usize, DayForm)> {
    let at = if line.word(at) == "the" { at + 1 } else { at };
    let found = ordinal(line, at)
        .map(|(day, end, spoken)| (day, end, if spoken { DayForm::Ordinal } else { DayForm::Digits }));
    let counted = || {
        let number = cardinal(line, at).filter(|number| number.fraction.is_none() && !number.vague)?;
        let form = if number.spoken { DayForm::Cardinal } else { DayForm::Digits };
        Some((number.value, number.tokens.end, form))
    };
    let (_, end, form) = found.or_else(counted).filter(|(day, _, _)| (1..32).contains(day))?;
    Some((end, form))
}

/// The end of `5th of June`.
fn day_of_month(line: SpokenLine<'_>, at: usize) -> Option<usize> {
    let (_, end, _) = ordinal(line, at).filter(|(day, ..)| (1..32).contains(day))?;
    let in_month = line.word(end) == "of" && month(line.word(end + 1)).is_some();
    in_month.then(|| year(line, end + 2).unwrap_or(end + 2))
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
    // `this past summer`.
    let at = at + usize::from(line.word(at) == "this" && matches!(line.word(at + 1), "past" | "coming"));
    let month = MONTHS.contains(&line.word(at + 1)) && !matches!(line.word(at + 1), "may" | "march");
    (SPANS.contains(&line.word(at + 1)) || month).then_some(at + 2)
}

/// The end of `two weeks ago`.
fn ago(line: SpokenLine<'_>, at: usize) -> Option<usize> {
    let end = match line.word(at) {
        "a" if small(line.word(at + 1)).is_none() => at + 1,
        _ => cardinal(line, at).filter(|number| !number.vague)?.tokens.end,
    };
    let unit = line.word(end);
    let known = matches!(unit, "days" | "day" | "weeks" | "week" | "months" | "month" | "years" | "year");
    (known && line.word(end + 1) == "ago").then_some(end + 2)
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

/// The end of a year such as `1984`, if the word before it shows that it is one.
fn lone_year(line: SpokenLine<'_>, at: usize) -> Option<usize> {
    let end = year(line, at)?;
    let is_announced =
        BEFORE_YEARS.contains(&line.before(at)) || line.before(at) == "of" && !line.is_digits(at);
    let is_spoken_as_year = matches!(line.word(at), "sixteen" | "seventeen" | "eighteen" | "nineteen");
    (is_announced || is_spoken_as_year && !is_choice_or_price(line, at, end)).then_some(end)
}

/// Whether two numbers are an estimate, as in `I was eighteen nineteen`, or count money, as in `eighteen fifty dollars`.
fn is_choice_or_price(line: SpokenLine<'_>, at: usize, end: usize) -> bool {
    let second = small(line.word(at + 1)).filter(|_| end == at + 2);
    let is_choice = small(line.word(at)).zip(second).is_some_and(|(first, second)| second == first + 1);
    let unit = line.word(end);
    is_choice
        || matches!(unit, "dollars" | "dollar" | "euros" | "euro" | "pounds" | "pound" | "cents" | "bucks")
}

/// The end of a year in digits or in words.
fn year(line: SpokenLine<'_>, at: usize) -> Option<usize> {
    let word = line.word(at);
    if line.is_digits(at) {
        let year = word.parse::<u64>().ok().filter(|_| word.len() == 4);
        return year.filter(|year| (1500..2200).contains(year)).map(|_| at + 1);
    }
    if matches!(word, "sixteen" | "seventeen" | "eighteen" | "nineteen" | "twenty") {
        return two_digits(line, at + 1).map(|(_, end)| end);
    }
    let number = cardinal(line, at)?;
    ((2000..2100).contains(&number.value) && number.fraction.is_none()).then_some(number.tokens.end)
}

pub(crate) fn title(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
