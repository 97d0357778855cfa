//! Times of day: `7:30 PM`, `10 o'clock`, `5:15`.

use super::Reading;
use super::context;
use super::runs::Run;
use super::suffixes;
use crate::spoken::{Numeral, SpokenLine, half_of_day, is_calendar_word, ordinal, small};

/// Words before a time such as `ten fifteen`.
const BEFORE_TIMES: [&str; 6] = ["at", "by", "until", "till", "before", "after"];
/// Words after a time such as `ten fifteen`, beside `am` and `pm`.
pub(super) const AFTER_TIMES: [&str; 8] =
    ["eastern", "pacific", "est", "pst", "gmt", "utc", "tonight", "sharp"];
/// Words that make the number after `at` a price.
pub(super) const PRICED: [&str; 17] = [
    "priced", "valued", "trading", "traded", "closed", "sold", "sells", "selling", "bought", "trade",
    "trades", "pound", "dollar", "euro", "shares", "gold", "oil",
];

/// Words before an amount that changes.
const CHANGES: [&str; 20] = [
    "went",
    "go",
    "goes",
    "gone",
    "going",
    "rose",
    "rise",
    "fell",
    "fall",
    "dropped",
    "up",
    "down",
    "increased",
    "decreased",
    "grew",
    "moved",
    "jumped",
    "climbed",
    "price",
    "prices",
];

/// A time of day on a clock with twelve hours.
#[derive(Debug, Clone, Copy)]
struct Time {
    hour: u64,
    minute: Option<u64>,
}

impl Time {
    /// `seven`, `seven thirty`, `seven oh five`.
    fn of(numbers: &[Numeral]) -> Option<Self> {
        let (hour, rest) = numbers.split_first()?;
        let hour = Some(hour.value).filter(|value| hour.is_whole() && (1..13).contains(value))?;
        let minute = match rest {
            [] => return Some(Self { hour, minute: None }),
            [one] if one.is_whole() && (10..60).contains(&one.value) => one.value,
            [oh, one] if oh.value == 0 && one.is_whole() && (1..10).contains(&one.value) => one.value,
            _ => return None,
        };
        Some(Self { hour, minute: Some(minute) })
    }

    fn written(self) -> String {
        self.minute.map_or(self.hour.to_string(), |minute| format!("{}:{minute:02}", self.hour))
    }
}

/// A time that begins with a number.
pub(super) fn find(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    if !run.whole || !run.numbers.iter().all(|number| number.spoken) {
        return None;
    }
    let tokens = run.tokens.clone();
    let Some(time) = Time::of(&run.numbers) else { return minutes(line, run) };
    if let Some(end) = o_clock(line, tokens.end).filter(|_| time.minute.is_none()) {
        return Reading::written(tokens.start..end, format!("{} o'clock", time.hour));
    }
    if let Some((half, end)) = half(line, tokens.end) {
        return Reading::written(tokens.start..end, format!("{} {half}", time.written()));
    }
    minutes(line, run).or_else(|| until(line, run, time)).or_else(|| announced(line, run, time))
}

/// `o'clock`, `o clock`.
fn o_clock(line: SpokenLine<'_>, at: usize) -> Option<usize> {
    match (line.word(at), line.word(at + 1)) {
        ("o'clock", _) => Some(at + 1),
        ("o" | "oh", "clock") => Some(at + 2),
        _ => None,
    }
}

/// `AM` or `PM`, and the token after it.
fn half(line: SpokenLine<'_>, at: usize) -> Option<(&'static str, usize)> {
    let (half, end) = half_of_day(line, at)?;
    // The last full stop may end the sentence.
    let inside = line.word(end) == "." && line.word(end - 2) == "." && end + 1 < line.tokens.len();
    Some((half, end + usize::from(inside)))
}

/// The first time of `nine to five pm` or `from ten thirty to eleven`.
fn until(line: SpokenLine<'_>, run: &Run, from: Time) -> Option<Reading> {
    let between = line.before(run.tokens.start) == "between";
    let is_link = |link: &str| matches!(link, "to" | "until" | "till") || link == "and" && between;
    let link = Some(line.word(run.tokens.end)).filter(|link| is_link(link))?;
    let next = Run::read(line, run.tokens.end + 1).filter(|next| next.whole)?;
    let to = Time::of(&next.numbers)?;
    let half = half(line, next.tokens.end);
    let end = half.map_or(next.tokens.end, |(_, end)| end);
    let text = format!("{} {link} {}", from.written(), to.written());
    if let Some((half, _)) = half {
        return Reading::written(run.tokens.start..end, format!("{text} {half}"));
    }
    from.minute.filter(|_| between || line.before(run.tokens.start) == "from")?;
    let rounded = [from, to].iter().all(|time| time.minute.is_none_or(|minute| minute.is_multiple_of(15)));
    // `from ten thirty to eleven people`.
    let counted = !context::is_open(line, end) || suffixes::read(line, end).is_some();
    let is_time = rounded && !counted && !is_change(line, run.tokens.start);
    if is_time { Reading::written(run.tokens.start..end, text) } else { Some(Reading::Words(end)) }
}

/// Whether an amount changes: `it went from one thirty to one forty five`.
fn is_change(line: SpokenLine<'_>, start: usize) -> bool {
    let mut before = context::words_before(line, start).skip(1).take(2);
    before.any(|word| CHANGES.contains(&word))
}

/// `at ten fifteen`.
fn announced(line: SpokenLine<'_>, run: &Run, time: Time) -> Option<Reading> {
    let tokens = run.tokens.clone();
    let minute = time.minute?;
    let before = line.before(tokens.start);
    let is_price = tokens.start > 1 && PRICED.contains(&line.word(tokens.start - 2));
    // The attacks of `nine eleven`.
    let is_day = time.hour == 9 && minute == 11;
    let rounded = minute.is_multiple_of(15);
    let asked = BEFORE_TIMES.contains(&before) || matches!(before, "around" | "about" | "from") && rounded;
    let part_at = match (line.word(tokens.end), line.word(tokens.end + 1)) {
        ("in", "the") => tokens.end + 2,
        ("this" | "tomorrow" | "yesterday", _) => tokens.end + 1,
        _ => tokens.end,
    };
    let part_of_day =
        part_at > tokens.end && matches!(line.word(part_at), "morning" | "afternoon" | "evening");
    let sure = part_of_day || AFTER_TIMES.contains(&line.word(tokens.end));
    let price = matches!(line.word(tokens.end), "a" | "per" | "each");
    let free = context::is_open(line, tokens.end) || is_calendar_word(line.word(tokens.end));
    let is_time = sure || asked && !is_price && !is_day && !price && free;
    is_time.then(|| time.written()).and_then(|text| Reading::written(tokens, text))
}

/// `ten past five`, `twenty five minutes to six`, `at ten to five`.
fn minutes(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    let minutes = run.single().filter(|minutes| minutes.is_whole() && (1..30).contains(&minutes.value))?;
    let named = matches!(line.word(run.tokens.end), "minutes" | "minute" | "mins" | "min");
    let at = run.tokens.end + usize::from(named);
    let rounded = minutes.value.is_multiple_of(5);
    let asked = matches!(line.before(run.tokens.start), "at" | "it's" | "until" | "till" | "by" | "since");
    let past = match line.word(at) {
        "past" if named || rounded => true,
        "after" if (named || rounded) && asked => true,
        "to" if (rounded || named) && asked => false,
        "to" if named && (half(line, at + 2).is_some() || run.tokens.start == 0) => false,
        _ => return None,
    };
    let hours = small(line.word(at + 1)) == Some(minutes.value + 1);
    // `from ten to eleven`.
    if !past && !named && hours {
        return Some(Reading::Words(at + 2));
    }
    let time = Relative { minutes: minutes.value, past, hour_at: at + 1 };
    // `it is ten past`: past the hour.
    let hour = || (past && !named && line.word(at) == "past").then_some(Reading::Words(at + 1));
    relative(line, run.tokens.start, time).or_else(hour)
}

/// `half past five`, `a quarter to six`.
pub(super) fn phrase(line: SpokenLine<'_>, at: usize) -> Option<Reading> {
    let start = at;
    let at = if line.word(at) == "a" && line.word(at + 1) == "quarter" { at + 1 } else { at };
    let (minutes, past) = match (line.word(at), line.word(at + 1)) {
        ("half", "past") => (30, true),
        ("quarter", "past" | "after") => (15, true),
        ("quarter", "to" | "till") => (15, false),
        _ => return None,
    };
    let before = line.before(start);
    let announced =
        matches!(before, "at" | "it's" | "is" | "was" | "until" | "till" | "by" | "about" | "around");
    // `the third quarter to one side`.
    let part = matches!(before, "the" | "this" | "each" | "every" | "last" | "next")
        || ordinal(line, at.wrapping_sub(1)).is_some();
    let is_time = start == 0 || announced || past && !part;
    is_time
        .then_some(Relative { minutes, past, hour_at: at + 2 })
        .and_then(|time| relative(line, start, time))
}

/// Minutes before or after an hour.
struct Relative {
    minutes: u64,
    past: bool,
    hour_at: usize,
}

fn relative(line: SpokenLine<'_>, start: usize, relative: Relative) -> Option<Reading> {
    let run = Run::read(line, relative.hour_at)?;
    let hour = run.single().filter(|hour| hour.is_whole() && (1..13).contains(&hour.value) && hour.spoken)?;
    let end = run.tokens.end;
    let counted = context::counts(line, end) || suffixes::read(line, end).is_some();
    if counted || matches!(line.word(end), "to" | "or") {
        return Some(Reading::Words(end));
    }
    let (hour, minute) = match (relative.past, hour.value) {
        (true, hour) => (hour, relative.minutes),
        (false, 1) => (12, 60 - relative.minutes),
        (false, hour) => (hour - 1, 60 - relative.minutes),
    };
    let time = Time { hour, minute: Some(minute) }.written();
    match half(line, end) {
        Some((half, end)) => Reading::written(start..end, format!("{time} {half}")),
        None => Reading::written(start..end, time),
    }
}
