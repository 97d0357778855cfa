//! Units of work and their cost.

use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::model::{NativeUnit, Rate};
use crate::money::Usd;

/// Units of work, before they are priced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Units {
    pub audio_seconds: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub characters: u64,
}

impl Units {
    pub fn of(self, unit: NativeUnit) -> u64 {
        match unit {
            NativeUnit::AudioSecond => self.audio_seconds,
            NativeUnit::Character => self.characters,
            NativeUnit::InputToken => self.input_tokens,
            NativeUnit::OutputToken => self.output_tokens,
        }
    }

    /// These units, limited to `bound` for each unit.
    pub fn at_most(self, bound: Self) -> Self {
        Self {
            audio_seconds: self.audio_seconds.min(bound.audio_seconds),
            input_tokens: self.input_tokens.min(bound.input_tokens),
            output_tokens: self.output_tokens.min(bound.output_tokens),
            characters: self.characters.min(bound.characters),
        }
    }

    /// The exact cost of these units at the given rates.
    pub fn cost(self, rates: &[Rate]) -> Usd {
        rates.iter().map(|rate| rate.price_per_unit_usd.times(self.of(rate.native_unit))).sum()
    }
}

/// The most tokens that a step can use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenBound {
    pub input: u64,
    pub output: u64,
}

impl Add for TokenBound {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { input: self.input + other.input, output: self.output + other.output }
    }
}

/// The `usage` of a job or step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub audio_seconds: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub characters: u64,
    pub cost_usd: Usd,
}

impl Usage {
    pub const NONE: Self =
        Self { audio_seconds: 0, input_tokens: 0, output_tokens: 0, characters: 0, cost_usd: Usd::ZERO };

    pub fn priced(units: Units, rates: &[Rate]) -> Self {
        Self {
            audio_seconds: units.audio_seconds,
            input_tokens: units.input_tokens,
            output_tokens: units.output_tokens,
            characters: units.characters,
            cost_usd: units.cost(rates),
        }
    }
}

impl Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            audio_seconds: self.audio_seconds + other.audio_seconds,
            input_tokens: self.input_tokens + other.input_tokens,
            output_tokens: self.output_tokens + other.output_tokens,
            characters: self.characters + other.characters,
            cost_usd: self.cost_usd + other.cost_usd,
        }
    }
}

impl Sum for Usage {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::NONE, Add::add)
    }
}

/// What a report groups usage by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum UsageBy {
    Day,
    Model,
    Project,
}

impl UsageBy {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The billed seconds of audio: rounded up to a whole number, so 8.47 becomes 9.
pub fn billed_seconds(duration_seconds: f64) -> u64 {
    // Rounding in a decoder can turn 9.0 s into 9.0000001 s, which must not be billed as 10.
    (duration_seconds - 1e-6).ceil().max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_rounded_up() {
        assert_eq!(billed_seconds(8.47), 9);
        assert_eq!(billed_seconds(9.0), 9);
        assert_eq!(billed_seconds(0.0), 0);
        assert_eq!(billed_seconds(0.001), 1);
    }

    #[test]
    fn the_cost_of_two_units_is_their_sum() {
        let rate = |native_unit, price: &str| Rate {
            capability: crate::model::Capability::Task,
            native_unit,
            price_per_unit_usd: price.parse().unwrap(),
        };
        let rates = [rate(NativeUnit::InputToken, "0.0000005"), rate(NativeUnit::OutputToken, "0.000002")];
        let units = Units { input_tokens: 3, output_tokens: 2, ..Units::default() };
        assert_eq!(units.cost(&rates).to_string(), "0.0000055");
    }
}
