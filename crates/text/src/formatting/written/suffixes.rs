//! What follows an amount: a percentage, a currency or a unit.

use super::amounts::Amount;
use super::context;
use super::measures::{self, Measure};
use super::money::{self, Currency};
use super::runs::Run;
use crate::spoken::SpokenLine;

/// The unit of an amount.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Suffix {
    Percent,
    Money(Currency),
    Measure(Measure),
}

/// The suffix at a token, and the token after it.
pub(super) fn read(line: SpokenLine<'_>, at: usize) -> Option<(Suffix, usize)> {
    match (line.word(at), line.word(at + 1)) {
        ("percent", _) => return Some((Suffix::Percent, at + 1)),
        ("per", "cent") => return Some((Suffix::Percent, at + 2)),
        _ => {}
    }
    let money = || money::currency(line, at).map(|(currency, end)| (Suffix::Money(currency), end));
    money().or_else(|| measures::read(line, at).map(|(measure, end)| (Suffix::Measure(measure), end)))
}

/// The end of a number that follows directly with its suffix, else `at`.
pub(super) fn end_of_next(line: SpokenLine<'_>, at: usize) -> usize {
    Run::read(line, line.past_hyphen(at))
        .map_or(at, |run| read(line, run.tokens.end).map_or(run.tokens.end, |(_, end)| end))
}

/// The end of a run that is not read, with its suffix and the hundredths of a sum: `dollars and fifty cents`.
pub(super) fn end_of_unread(line: SpokenLine<'_>, run: &Run) -> usize {
    let Some((_, end)) = read(line, run.tokens.end) else { return run.tokens.end };
    let joined = line.word(end) == "and";
    let Some(next) = Run::read(line, end + usize::from(joined)) else { return end };
    match line.word(next.tokens.end) {
        "cents" | "cent" | "pence" => next.tokens.end + 1,
        _ if joined => end,
        _ => next.tokens.end,
    }
}

impl Suffix {
    /// Writes an amount with this suffix.
    pub(super) fn after(self, amount: &Amount) -> String {
        match self {
            Self::Percent => format!("{}%", amount.written()),
            Self::Money(currency) => currency.after(amount),
            Self::Measure(measure) => measure.after(amount),
        }
    }

    /// Writes a range with this suffix: `5 to 10%`, `$5 to $10`.
    pub(super) fn after_range(self, from: &Amount, link: &str, to: &Amount) -> String {
        match self {
            Self::Measure(Measure::Words(_)) => format!("{} {link} {}", from.alone(), self.after(to)),
            Self::Percent | Self::Measure(_) => format!("{} {link} {}", from.written(), self.after(to)),
            Self::Money(currency) if currency.is_sign() => {
                let round = from.round.or(to.round.filter(|_| from.value < 1_000));
                let from = Amount { round, ..from.clone() };
                format!("{} {link} {}", self.after(&from), self.after(to))
            }
            Self::Money(_) => format!("{} {link} {}", from.written(), self.after(to)),
        }
    }

    /// Whether it may follow `5 5/8`.
    pub(super) fn accepts_mixed(self) -> bool {
        matches!(self, Self::Measure(Measure::Words(_)))
    }

    /// Whether a number in digits also gets it: `25 percent` becomes `25%`, `5 kilometers` stays.
    pub(super) fn also_after_digits(self) -> bool {
        match self {
            Self::Percent => true,
            Self::Money(currency) => currency.is_sign(),
            Self::Measure(_) => false,
        }
    }

    fn is_money(self) -> bool {
        match self {
            Self::Money(_) => true,
            Self::Percent | Self::Measure(_) => false,
        }
    }

    /// Whether the words may mean something else.
    pub(super) fn is_ambiguous(self, line: SpokenLine<'_>, amount: &Amount, end: usize) -> bool {
        // In `five foot ten`, what follows belongs to the same quantity.
        let next = Run::read(line, line.past_hyphen(end));
        let part = |run: &Run| measures::read(line, run.tokens.end).is_some();
        // In `five feet ten inches` it has its own unit.
        let continues =
            next.is_some_and(|next| !part(&next)) || context::is_number(line, end) && self.is_money();
        match self {
            Self::Percent => false,
            Self::Money(currency) => continues || currency.is_ambiguous(line, amount, end),
            Self::Measure(measure) => continues || measure.is_ambiguous(line, amount, end),
        }
    }
}
