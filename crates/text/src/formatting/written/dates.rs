//! Dates with a month: `June 5, 2020`, `5th of June`, `June 2020`.

use super::Reading;
use super::context;
use super::runs::Run;
use super::years::calendar_year;
use crate::spoken::{SpokenLine, month, month_name, nth, number, ordinal};

/// Words before a date, by which `may first` is a day and not a verb.
const BEFORE_DATES: [&str; 18] = [
    "on", "by", "until", "till", "since", "of", "before", "after", "from", "to", "through", "this", "next",
    "last", "for", "dated", "is", "was",
];

pub(super) fn find(line: SpokenLine<'_>, at: usize) -> Option<Reading> {
    match month(line.word(at)) {
        Some(month) => {
            let date = Date { line, at, month };
            date.with_ordinal().or_else(|| date.with_cardinals()).or_else(|| date.with_digits())
        }
        None => day_first(line, at),
    }
}

/// A year after a date.
enum Year {
    /// The year, the token after it, and whether it is in words.
    Known(u64, usize, bool),
    None,
    /// Another number, up to this token.
    Unclear(usize),
}

impl Year {
    fn at(line: SpokenLine<'_>, at: usize) -> Self {
        let comma = line.word(at) == ",";
        let from = at + usize::from(comma);
        if line.is_digits(from) {
            let year = line.word(from).parse().ok().filter(|year| (1100..2200).contains(year));
            let known = year.map(|year| Self::Known(year, from + 1, false));
            return known.unwrap_or(if comma { Self::None } else { Self::Unclear(from + 1) });
        }
        let Some(run) = Run::read(line, from) else { return Self::None };
        let year = calendar_year(&run.numbers).filter(|_| run.numbers.iter().all(|number| number.spoken));
        match year.filter(|_| !context::counts(line, run.tokens.end)) {
            Some(year) => Self::Known(year, run.tokens.end, true),
            None if comma => Self::None,
            None => Self::Unclear(run.tokens.end),
        }
    }
}

/// A date that begins with its month.
#[derive(Clone, Copy)]
struct Date<'a> {
    line: SpokenLine<'a>,
    at: usize,
    month: usize,
}

impl Date<'_> {
    /// `june fifth`, `june the fifth twenty twenty`.
    fn with_ordinal(self) -> Option<Reading> {
        let line = self.line;
        let at = self.at + 1 + usize::from(line.word(self.at + 1) == "the");
        let (day, end, spoken) = ordinal(line, at).filter(|(day, ..)| (1..32).contains(day))?;
        if self.may_be_verb() && matches!(line.word(at), "first" | "second") && !self.is_announced() {
            return match Year::at(line, end) {
                Year::Known(year, end, true) => self.written(end, format!("{day}, {year}")),
                Year::Known(..) | Year::None | Year::Unclear(_) => Some(Reading::Words(end)),
            };
        }
        match Year::at(line, end) {
            Year::Known(year, end, in_words) if spoken || in_words => {
                self.written(end, format!("{day}, {year}"))
            }
            Year::None if spoken => self.written(end, day.to_string()),
            Year::Known(_, end, _) | Year::Unclear(end) => Some(Reading::Words(end)),
            Year::None => Some(Reading::Words(end)),
        }
    }

    /// `june five`, `june twenty twenty`, `june five twenty twenty`.
    fn with_cardinals(self) -> Option<Reading> {
        let line = self.line;
        let run =
            Run::read(line, self.at + 1).filter(|run| run.numbers.iter().all(|number| number.spoken))?;
        let (day, rest) = run.numbers.split_first().filter(|(day, _)| !day.ordinal)?;
        let end = run.tokens.end;
        let valid = day.is_whole() && (1..32).contains(&day.value);
        let year = calendar_year(&run.numbers).map(|year| year.to_string());
        let with_day = || calendar_year(rest).filter(|_| valid).map(|year| format!("{}, {year}", day.value));
        if let Some(text) =
            year.or_else(with_day).filter(|_| run.whole && (!rest.is_empty() || day.value > 31))
        {
            let counted = context::counts(line, end);
            return if counted { Some(Reading::Words(end)) } else { self.written(end, text) };
        }
        let alone = rest.is_empty() && valid && run.whole && context::is_open(line, end);
        let month = !self.may_be_verb() || self.is_announced();
        if alone && month { self.written(end, day.value.to_string()) } else { None }
    }

    /// `june 5 twenty twenty`.
    fn with_digits(self) -> Option<Reading> {
        let line = self.line;
        let day = line.is_digits(self.at + 1).then(|| line.word(self.at + 1))?;
        let day = day.parse::<u64>().ok().filter(|day| (1..32).contains(day))?;
        match Year::at(line, self.at + 2) {
            Year::Known(year, end, true) => self.written(end, format!("{day}, {year}")),
            Year::Known(..) | Year::None | Year::Unclear(_) => None,
        }
    }

    fn may_be_verb(self) -> bool {
        matches!(self.line.word(self.at), "may" | "march")
    }

    fn is_announced(self) -> bool {
        let capital = self.at > 0 && self.line.get(self.at).is_some_and(|token| token.capital);
        capital || self.at == 0 || BEFORE_DATES.contains(&self.line.before(self.at))
    }

    fn written(self, end: usize, rest: String) -> Option<Reading> {
        Reading::written(self.at..end, format!("{} {rest}", month_name(self.month)))
    }
}

/// `fifth of june`, `fifth of june twenty twenty`, `fifth june twenty twenty`.
fn day_first(line: SpokenLine<'_>, at: usize) -> Option<Reading> {
    let day = number(line, at).filter(|day| day.ordinal && (1..32).contains(&day.value))?;
    let end = day.tokens.end;
    let of = line.word(end) == "of";
    let month = month(line.word(end + usize::from(of)))?;
    let after = end + usize::from(of) + 1;
    let start = format!("{}{} {}", nth(day.value), if of { " of" } else { "" }, month_name(month));
    match Year::at(line, after) {
        Year::Known(year, end, _) => Reading::written(at..end, format!("{start} {year}")),
        Year::None if of => Reading::written(at..after, start),
        Year::None => None,
        Year::Unclear(end) => Some(Reading::Words(end)),
    }
}
