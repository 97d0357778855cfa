//! US dollars as exact decimals, written without exponent and trailing zeros, with at most ten fractional digits.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Sub};
use std::str::FromStr;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use serde::{Deserialize, Serialize};

use crate::limits;

/// An exact amount of US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Usd(Decimal);

/// The text is not a valid amount.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "an amount is a non-negative decimal without leading zeros and with up to 10 fractional digits, such as `0.25`"
)]
pub struct InvalidAmount;

/// Ten-billionths of a dollar in one dollar. The tenth fractional digit is the last one that amounts have.
const E10: i64 = 10_000_000_000;

impl Usd {
    pub const ZERO: Self = Self(Decimal::ZERO);

    /// The amount in ten-billionths of a dollar, as balances are stored. `None` if it is not whole or above 922 million
    /// dollars, the range of `i64`.
    pub fn to_e10(self) -> Option<i64> {
        let parts = self.0.checked_mul(Decimal::from(E10))?.normalize();
        if parts.scale() == 0 { parts.to_i64() } else { None }
    }

    pub fn from_e10(parts: i64) -> Self {
        Self(Decimal::new(parts, limits::DECIMAL_FRACTION_DIGITS as u32).normalize())
    }

    /// The cost of this many units at this price. Saturates at the largest decimal, about 7.9e28.
    pub fn times(self, units: u64) -> Self {
        Self(self.0.checked_mul(Decimal::from(units)).unwrap_or(Decimal::MAX).normalize())
    }

    pub fn is_negative(self) -> bool {
        self.0.is_sign_negative() && !self.0.is_zero()
    }

    /// The same amount with the opposite sign, for debits.
    pub fn negated(self) -> Self {
        Self(-self.0)
    }

    /// Reads an amount that may be negative, as in the ledger.
    pub fn parse_signed(text: &str) -> Result<Self, InvalidAmount> {
        match text.strip_prefix('-') {
            Some(amount) => amount.parse::<Self>().map(Self::negated),
            None => text.parse(),
        }
    }
}

impl FromStr for Usd {
    type Err = InvalidAmount;

    fn from_str(text: &str) -> Result<Self, InvalidAmount> {
        if !is_plain_decimal(text) {
            return Err(InvalidAmount);
        }
        Decimal::from_str_exact(text).map(|amount| Self(amount.normalize())).map_err(|_| InvalidAmount)
    }
}

/// Whether the text has the form of a decimal in the API: digits without leading zeros, and up to ten after a point.
pub fn is_plain_decimal(text: &str) -> bool {
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(|part| digits(part) && part.len() <= limits::DECIMAL_FRACTION_DIGITS)
}

impl TryFrom<String> for Usd {
    type Error = InvalidAmount;

    fn try_from(text: String) -> Result<Self, InvalidAmount> {
        Self::parse_signed(&text)
    }
}

impl From<Usd> for String {
    fn from(amount: Usd) -> Self {
        amount.to_string()
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.normalize())
    }
}

impl Add for Usd {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.checked_add(other.0).unwrap_or(Decimal::MAX))
    }
}

impl Sub for Usd {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.checked_sub(other.0).unwrap_or(Decimal::MIN))
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(text: &str) -> Usd {
        text.parse().unwrap()
    }

    #[test]
    fn amounts_print_without_trailing_zeros_or_exponent() {
        assert_eq!(usd("1.5000000000").to_string(), "1.5");
        assert_eq!(usd("0.0000000001").to_string(), "0.0000000001");
        assert_eq!(usd("100").to_string(), "100");
        assert_eq!(Usd::ZERO.to_string(), "0");
    }

    #[test]
    fn an_amount_in_another_form_is_refused() {
        for text in ["", ".5", "1.", "01", "-1", "+1", "1e3", "0.00000000001", "1,5", " 1", "٣"] {
            assert!(text.parse::<Usd>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_sum_of_many_small_costs_is_exact() {
        let total: Usd = (0..1_000_000).map(|_| usd("0.0000000001")).sum();
        assert_eq!(total, usd("0.0001"));
    }

    #[test]
    fn an_amount_too_large_for_the_type_is_refused() {
        assert!("99999999999999999999999999999999".parse::<Usd>().is_err());
    }

    #[test]
    fn ten_billionths_convert_exactly_in_both_directions() {
        for text in ["0", "0.0000000001", "12.5", "922337203.6854775807"] {
            assert_eq!(Usd::from_e10(usd(text).to_e10().unwrap()), usd(text));
        }
        assert_eq!(usd("922337203.6854775808").to_e10(), None);
        assert_eq!(usd("79228162514264337593543950335").to_e10(), None);
        assert_eq!(usd("0.5").negated().to_e10(), Some(-5_000_000_000));
    }

    #[test]
    fn ledger_amounts_may_be_negative() {
        assert_eq!(Usd::parse_signed("-0.5").unwrap(), usd("0.5").negated());
        assert!((usd("1") - usd("2")).is_negative());
    }
}
