//! Amounts: a number with its sign and fraction, such as `minus five` and `two and a half million`, before a unit.

use std::ops::Range;

use super::fractions;
use super::runs::Run;
use crate::spoken::{Numeral, SpokenLine, grouped, scale};

/// A number that a unit may follow.
#[derive(Debug, Clone)]
pub(super) struct Amount {
    pub(super) tokens: Range<usize>,
    /// The number before the decimal point and the scale.
    pub(super) value: u64,
    /// The digits after the decimal point.
    pub(super) fraction: Option<String>,
    /// `million` or larger, as a word.
    pub(super) round: Option<&'static str>,
    /// The written form of `two and a half` if no unit follows.
    pub(super) mixed: Option<String>,
    pub(super) negative: bool,
    pub(super) spoken: bool,
    /// Whether it is approximate, as `a hundred`.
    pub(super) vague: bool,
    /// Whether its last word is `hundred` or `thousand`, which the number before it may share: `two to three hundred`.
    pub(super) shared_scale: bool,
}

/// `eighty hundred`: two attempts at a number.
fn is_broken(line: SpokenLine<'_>, numeral: &Numeral) -> bool {
    let start = numeral.tokens.start;
    let thousands = numeral.value < 10_000 && numeral.value.is_multiple_of(1_000);
    numeral.spoken && thousands && line.word(start + 1) == "hundred"
}

impl Amount {
    /// The only number of a run, with what follows it.
    pub(super) fn of(line: SpokenLine<'_>, run: &Run) -> Option<Self> {
        let numeral = run.single().filter(|numeral| !numeral.ordinal && !is_broken(line, numeral))?;
        let amount = Self::plain(line, numeral);
        match fractions::after_whole(line, numeral) {
            fractions::AfterWhole::Nothing => Some(amount),
            fractions::AfterWhole::Fraction(fraction) => amount.with_fraction(line, &fraction),
            fractions::AfterWhole::Unclear => None,
        }
    }

    fn plain(line: SpokenLine<'_>, numeral: &Numeral) -> Self {
        let scale = numeral.round.and_then(scale).map_or(1, |(_, value)| value);
        Self {
            tokens: numeral.tokens.clone(),
            value: numeral.value / scale,
            fraction: numeral.fraction.clone(),
            round: numeral.round,
            mixed: None,
            negative: false,
            spoken: numeral.spoken,
            vague: numeral.vague,
            shared_scale: matches!(line.word(numeral.tokens.end - 1), "hundred" | "thousand"),
        }
    }

    /// With `and a half` behind it, and maybe a scale behind that.
    fn with_fraction(mut self, line: SpokenLine<'_>, fraction: &fractions::Fraction) -> Option<Self> {
        self.tokens.end = fraction.end;
        self.mixed = Some(format!("{} {}/{}", self.value, fraction.above, fraction.below));
        self.fraction = fraction.decimal().map(str::to_owned);
        let Some((name, value)) = scale(line.word(fraction.end)) else { return Some(self) };
        if value < 1_000_000 {
            return self.in_thousands(value, fraction);
        }
        self.fraction.as_ref()?;
        self.round = Some(name);
        self.mixed = None;
        self.tokens.end += 1;
        Some(self)
    }

    /// `two and a half thousand`, if it is a whole number.
    fn in_thousands(mut self, scale: u64, fraction: &fractions::Fraction) -> Option<Self> {
        let rest = (scale * fraction.above)
            .is_multiple_of(fraction.below)
            .then_some(scale * fraction.above / fraction.below)?;
        self.value = self.value * scale + rest;
        self.fraction = None;
        self.mixed = None;
        self.tokens.end += 1;
        Some(self)
    }

    /// Whether it cannot be written with a decimal point, as `two and two thirds`.
    pub(super) fn is_only_mixed(&self) -> bool {
        self.mixed.is_some() && self.fraction.is_none()
    }

    /// Without a unit: `2 1/2`, `-5`, `3.5 million`.
    pub(super) fn alone(&self) -> String {
        self.mixed.clone().unwrap_or_else(|| self.written())
    }

    /// Before a unit: `2.5`, `-5`, `3.5 million`.
    pub(super) fn written(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}", self.unsigned())
    }

    pub(super) fn unsigned(&self) -> String {
        let fraction = self.fraction.as_ref().map_or(String::new(), |digits| format!(".{digits}"));
        let name = self.round.map_or(String::new(), |name| format!(" {name}"));
        format!("{}{fraction}{name}", grouped(self.value))
    }

    /// A sum of money: cents have two digits.
    pub(super) fn sum(&self, currency: &str) -> String {
        let short = self.round.is_none() && self.fraction.as_ref().is_some_and(|digits| digits.len() == 1);
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{currency}{}{}", self.unsigned(), if short { "0" } else { "" })
    }
}
