//! Sums of money: `$12.50`, `€3 million`, `£5.20`, `50 cents`.

use super::amounts::Amount;
use super::context;
use super::runs::Run;
use super::{Reading, measures, ordinals};
use crate::spoken::{Numeral, SpokenLine, grouped, two_digits};

/// A currency and how it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Currency {
    /// A sign before the number.
    Sign(&'static str),
    /// The words stay after the number.
    Words(&'static str),
}

use Currency::{Sign, Words};

/// Currencies by their words. `pounds` may be a weight, so it is among the units.
const CURRENCIES: &[(&str, Currency)] = &[
    ("dollars", Sign("$")),
    ("dollar", Sign("$")),
    ("euros", Sign("€")),
    ("euro", Sign("€")),
    ("pounds sterling", Sign("£")),
    ("yen", Sign("¥")),
    ("rupees", Sign("₹")),
    ("us dollars", Words("US dollars")),
    ("u s dollars", Words("US dollars")),
    ("united states dollars", Words("United States dollars")),
    ("american dollars", Words("American dollars")),
    ("canadian dollars", Words("Canadian dollars")),
    ("australian dollars", Words("Australian dollars")),
    ("singapore dollars", Words("Singapore dollars")),
    ("hong kong dollars", Words("Hong Kong dollars")),
    ("new zealand dollars", Words("New Zealand dollars")),
    ("cents", Words("cents")),
    ("bucks", Words("bucks")),
    ("pence", Words("pence")),
    ("quid", Words("quid")),
    ("grand", Words("grand")),
    ("swiss francs", Words("Swiss francs")),
    ("francs", Words("francs")),
    ("pesos", Words("pesos")),
    ("rubles", Words("rubles")),
    ("roubles", Words("roubles")),
    ("yuan", Words("yuan")),
    ("kronor", Words("kronor")),
    ("kroner", Words("kroner")),
    ("zloty", Words("zloty")),
    ("shekels", Words("shekels")),
    ("dirhams", Words("dirhams")),
    ("naira", Words("naira")),
];

/// The currency at a token, and the token after it.
pub(super) fn currency(line: SpokenLine<'_>, at: usize) -> Option<(Currency, usize)> {
    let at = line.past_hyphen(at);
    CURRENCIES.iter().find_map(|(name, currency)| {
        let words = name.split(' ');
        let end = at + words.clone().count();
        words.zip(at..end).all(|(word, at)| line.word(at) == word).then_some((*currency, end))
    })
}

impl Currency {
    pub(super) fn is_sign(self) -> bool {
        match self {
            Sign(_) => true,
            Words(_) => false,
        }
    }

    pub(super) fn after(self, amount: &Amount) -> String {
        match self {
            Sign(sign) => amount.sum(sign),
            Words(name) => format!("{} {name}", amount.alone()),
        }
    }

    /// `twenty dollar bills` are 20 bills or bills of 20, and `a million dollar question` is an idiom.
    pub(super) fn is_ambiguous(self, line: SpokenLine<'_>, amount: &Amount, end: usize) -> bool {
        let singular = matches!(line.word(end - 1), "dollar" | "euro") && amount.value > 1;
        let adjective = matches!(line.word(end - 1), "dollar" | "euro") && amount.vague;
        let idiom = amount.value == 2
            && line.word(end - 1) == "cents"
            && matches!(line.before(amount.tokens.start), "my" | "your" | "his" | "her" | "our" | "their");
        let grand = line.word(end - 1) == "grand" && !context::is_open(line, end);
        adjective || singular && context::counts(line, end) || idiom || grand
    }
}

/// The sign of a currency with hundredths.
fn sign_at(line: SpokenLine<'_>, at: usize) -> Option<&'static str> {
    match line.word(at) {
        "dollars" | "dollar" | "buck" => Some("$"),
        "euros" | "euro" => Some("€"),
        "pounds" | "pound" => Some("£"),
        _ => None,
    }
}

/// A sum with hundredths: `twelve euros fifty`, `five pounds and twenty pence`.
pub(super) fn find(line: SpokenLine<'_>, run: &Run) -> Option<Reading> {
    let numeral = run.single().filter(|numeral| numeral.is_whole() && numeral.round.is_none())?;
    with_hundredths(line, numeral)
}

fn with_hundredths(line: SpokenLine<'_>, numeral: &Numeral) -> Option<Reading> {
    let sign = sign_at(line, numeral.tokens.end)?;
    let (hundredths, end) = match hundredths(line, numeral.tokens.end + 1)? {
        // `she weighed seven pounds twelve`: a pound has 16 ounces.
        Ok((ounces, end)) if sign == "£" && ounces < 16 && !is_named(line, end) => {
            return Some(Reading::Words(end));
        }
        Ok(found) => found,
        Err(end) => return Some(Reading::Words(end)),
    };
    let written = format!("{sign}{}.{hundredths:02}", grouped(numeral.value));
    Reading::written(numeral.tokens.start..end, written)
}

/// `a dollar fifty`, `a buck fifty`.
pub(super) fn article(line: SpokenLine<'_>, at: usize) -> Option<Reading> {
    let sign = sign_at(line, at + 1).filter(|_| line.word(at) == "a")?;
    match hundredths(line, at + 2)? {
        Ok((hundredths, end)) => Reading::written(at..end, format!("{sign}1.{hundredths:02}")),
        Err(end) => Some(Reading::Words(end)),
    }
}

/// Whether the word before a token names the hundredths.
fn is_named(line: SpokenLine<'_>, end: usize) -> bool {
    matches!(line.before(end), "cents" | "cent" | "pence" | "p")
}

/// The hundredths after the name of a currency and the token after them, or the end of what is unclear.
fn hundredths(line: SpokenLine<'_>, at: usize) -> Option<Result<(u64, usize), usize>> {
    if matches!(line.word(at), "oh" | "o") {
        let clear = |(_, end): &(u64, usize)| context::is_open(line, *end);
        return two_digits(line, at).filter(clear).map(Ok);
    }
    let joined = line.word(at) == "and";
    let run = Run::read(line, at + usize::from(joined))?;
    let end = run.tokens.end;
    let named = is_named(line, end + 1);
    let value = match run.numbers.as_slice() {
        [one] if one.is_whole() && one.value < 100 && (named || one.value >= 10) => Some(one.value),
        _ => None,
    };
    // `six pounds eight ounces`.
    if ordinals::is_ordinal(&run) || measures::read(line, end).is_some() {
        return None;
    }
    Some(match value.filter(|_| run.whole) {
        Some(value) if named => Ok((value, end + 1)),
        Some(value) if !joined && context::is_open(line, end) => Ok((value, end)),
        // `five dollars and ten euros` are two sums.
        _ if joined && !context::is_open(line, end) => return None,
        _ => Err(end),
    })
}
