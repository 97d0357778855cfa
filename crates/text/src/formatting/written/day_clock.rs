//! Times on a clock with 24 hours: `18:45`, `0800 hours`.

use super::Reading;
use super::clock::{AFTER_TIMES, PRICED};
use super::context;
use super::runs::Run;
use crate::spoken::{SpokenLine, is_calendar_word};

/// Words before a time.
const BEFORE: [&str; 9] = ["at", "by", "until", "till", "before", "after", "from", "since", "around"];
/// Words of a sentence about a time. Without one of them `at eighteen forty five` may be a price or a year.
const SCHEDULED: [&str; 61] = [
    "alarm",
    "appointment",
    "arrival",
    "arrive",
    "arrived",
    "arrives",
    "arriving",
    "began",
    "begin",
    "begins",
    "board",
    "boarding",
    "boards",
    "bus",
    "call",
    "ceremony",
    "class",
    "concert",
    "depart",
    "departed",
    "departs",
    "departure",
    "dinner",
    "doors",
    "due",
    "ferry",
    "flight",
    "game",
    "gates",
    "kickoff",
    "land",
    "landed",
    "landing",
    "lands",
    "leave",
    "leaves",
    "leaving",
    "left",
    "lunch",
    "match",
    "meet",
    "meeting",
    "met",
    "museum",
    "plane",
    "postponed",
    "rescheduled",
    "scheduled",
    "see",
    "session",
    "shift",
    "shop",
    "show",
    "start",
    "started",
    "starts",
    "store",
    "takeoff",
    "train",
    "visit",
    "wake",
];
/// Words before `at` that are looked at for one of these.
const NEAR: usize = 7;

pub(super) fn find(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    if !run.whole || run.numbers.iter().any(|number| !number.spoken || !number.is_whole()) {
        return None;
    }
    hundred_hours(line, run).or_else(|| early(line, run)).or_else(|| late(line, run))
}

/// The token before a number and before the zero that begins it.
fn start_with_zero(line: SpokenLine<'_>, run: &Run) -> Option<usize> {
    let start = run.tokens.start;
    match (line.before(start), line.word(start)) {
        ("oh" | "o", _) => Some(start - 1),
        (_, "zero") => Some(start),
        _ => None,
    }
}

/// The numbers of a run without a zero that begins it.
fn values(run: &Run) -> Vec<u64> {
    let values: Vec<u64> = run.numbers.iter().map(|number| number.value).collect();
    if values.len() > 1 && values[0] == 0 { values[1..].to_vec() } else { values }
}

/// `oh eight hundred hours`. Without a zero, `seventeen hundred hours` may be a duration.
fn hundred_hours(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    let end = run.tokens.end;
    let hundreds = line.word(end) == "hours" && line.before(end) == "hundred";
    let value = values(run).first().copied().filter(|_| hundreds && values(run).len() == 1)?;
    let start = start_with_zero(line, run);
    match (value / 100, start) {
        (hour @ 1..10, Some(start)) => Reading::written(start..end, format!("0{hour}00")),
        (hour @ 10..25, None) if BEFORE.contains(&line.before(run.tokens.start)) => {
            Reading::written(run.tokens.clone(), format!("{hour}00"))
        }
        (10..25, _) => Some(Reading::Words(end)),
        _ => None,
    }
}

/// `at oh six thirty`, `oh six thirty hours`.
fn early(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    let [hour @ 1..10, minute @ 10..60] = values(run)[..] else { return None };
    let (start, end) = (start_with_zero(line, run)?, run.tokens.end);
    if line.word(end) == "hours" {
        return Reading::written(start..end, format!("0{hour}{minute}"));
    }
    let is_time = BEFORE.contains(&line.before(start)) && context::is_open(line, end);
    is_time.then(|| format!("0{hour}:{minute}")).and_then(|text| Reading::written(start..end, text))
}

/// `leaves at eighteen forty five`.
fn late(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    let (start, end) = (run.tokens.start, run.tokens.end);
    let values: Vec<u64> = run.numbers.iter().map(|number| number.value).collect();
    let (hour, minute) = match values.as_slice() {
        [hour @ 13..24, minute @ 10..60] | [hour @ 13..24, 0, minute @ 1..10] => (hour, minute),
        // `starts at thirteen hundred`.
        [value @ 1_300..2_400] if line.before(end) == "hundred" => (&(value / 100), &0),
        _ => return None,
    };
    if line.before(start) != "at" {
        return None;
    }
    let free = context::is_open(line, end) || is_calendar_word(line.word(end));
    let priced =
        start > 1 && PRICED.contains(&line.word(start - 2)) || matches!(line.word(end), "a" | "per" | "each");
    if !free || priced {
        return None;
    }
    let scheduled = context::words_before(line, start).take(NEAR).any(|word| SCHEDULED.contains(&word));
    if *minute == 0 {
        return scheduled.then_some(Reading::Words(end));
    }
    if scheduled || AFTER_TIMES.contains(&line.word(end)) {
        return Reading::written(run.tokens.clone(), format!("{hour}:{minute:02}"));
    }
    Some(Reading::Words(end))
}
