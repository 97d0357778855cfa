//! The slowest rate at which a client may send a request or read a response, so that a client that transfers almost
//! nothing does not hold a connection, memory or a file for hours.

use std::fmt;
use std::time::Duration;

const NANOSECONDS: u64 = 1_000_000_000;

/// A minimum rate of one body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MinimumRate {
    kib_per_second: u64,
}

impl MinimumRate {
    pub(crate) const fn kib_per_second(kib_per_second: u64) -> Self {
        Self { kib_per_second }
    }

    /// How long this number of bytes takes at this rate.
    fn time_for(self, bytes: u64) -> Duration {
        Duration::from_nanos(bytes.saturating_mul(NANOSECONDS) / (self.kib_per_second * 1024))
    }
}

impl fmt::Display for MinimumRate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} KiB per second", self.kib_per_second)
    }
}

/// How long a client may still keep us waiting. Bytes add time at the minimum rate, up to a maximum: what was
/// transferred fast must not pay for hours of almost nothing.
#[derive(Debug, Clone)]
pub(crate) struct TimeCredit {
    rate: MinimumRate,
    maximum: Duration,
    left: Duration,
}

impl TimeCredit {
    /// A credit that begins with its maximum.
    pub(crate) fn full(rate: MinimumRate, maximum: Duration) -> Self {
        Self { rate, maximum, left: maximum }
    }

    /// A credit that begins with less than its maximum.
    pub(crate) fn beginning_with(left: Duration, rate: MinimumRate, maximum: Duration) -> Self {
        Self { rate, maximum, left: left.min(maximum) }
    }

    pub(crate) fn rate(&self) -> MinimumRate {
        self.rate
    }

    pub(crate) fn left(&self) -> Duration {
        self.left
    }

    /// Records that the client has kept us waiting.
    pub(crate) fn spend(&mut self, waited: Duration) {
        self.left = self.left.saturating_sub(waited);
    }

    /// Records that bytes were transferred.
    pub(crate) fn earn(&mut self, bytes: u64) {
        self.left = self.left.saturating_add(self.rate.time_for(bytes)).min(self.maximum);
    }

    /// Begins again with the maximum.
    pub(crate) fn refill(&mut self) {
        self.left = self.maximum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAXIMUM: Duration = Duration::from_secs(30);

    #[test]
    fn bytes_add_time_at_the_minimum_rate_up_to_the_maximum() {
        let mut credit =
            TimeCredit::beginning_with(Duration::from_secs(10), MinimumRate::kib_per_second(4), MAXIMUM);
        credit.earn(8 * 1024);
        assert_eq!(credit.left(), Duration::from_secs(12));
        credit.spend(Duration::from_secs(5));
        assert_eq!(credit.left(), Duration::from_secs(7));
        credit.earn(u64::MAX);
        assert_eq!(credit.left(), MAXIMUM);
        credit.spend(2 * MAXIMUM);
        assert_eq!(credit.left(), Duration::ZERO);
        credit.refill();
        assert_eq!(credit.left(), MAXIMUM);
    }

    #[test]
    fn bytes_add_the_same_time_one_by_one() {
        let mut credit = TimeCredit::beginning_with(Duration::ZERO, MinimumRate::kib_per_second(32), MAXIMUM);
        (0..32 * 1024).for_each(|_| credit.earn(1));
        assert!(credit.left() > Duration::from_millis(999), "{:?}", credit.left());
    }
}
