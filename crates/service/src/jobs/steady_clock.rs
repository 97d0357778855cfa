//! Notices when the time of day jumps. A clock that is wrong for a moment must not delete what has not expired.

use std::time::Duration;

use auris_domain::time::{Millis, Uptime};

/// How far the clock may move between two sweeps, beyond the time that has passed. Corrections by NTP are smaller.
const JUMP_MS: i64 = 600_000;
/// How long the clock must run evenly after a jump before anything is deleted. A wrong clock is usually corrected sooner.
const STEADY_MS: i64 = 3_600_000;
/// If the clock is this far ahead of the last sweep of any node, it may have been wrong since this process started.
const LONG_PAUSE_MS: i64 = 86_400_000;

/// The clock as it was at the last sweep.
#[derive(Debug)]
pub(super) struct SteadyClock {
    now: Millis,
    uptime: Uptime,
    /// Until then nothing is deleted.
    steady_at: Uptime,
}

/// Whether the clock can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Steadiness {
    Steady,
    /// The clock has just jumped by this many milliseconds.
    Jumped(i64),
    /// It jumped a while ago.
    Waiting,
}

impl SteadyClock {
    /// Begins when a process starts. Nothing is deleted in the first interval.
    pub(super) fn new(now: Millis, uptime: Uptime, interval: Duration) -> Self {
        let interval = i64::try_from(interval.as_millis()).unwrap_or(i64::MAX);
        Self { now, uptime, steady_at: uptime.plus_ms(interval) }
    }

    /// Compares the clock with the time of the last sweep by any node. If that is suspiciously long ago, returns true, and
    /// nothing is deleted for a while. Either the clock is wrong or the machine was switched off: in the second case the
    /// delay does no harm.
    pub(super) fn compare(&mut self, last_sweep: Millis) -> bool {
        let is_long = self.now.since(last_sweep) > LONG_PAUSE_MS;
        if is_long {
            self.steady_at = self.uptime.plus_ms(STEADY_MS);
        }
        is_long
    }

    /// Compares the clock with what it showed at the last sweep.
    pub(super) fn check(&mut self, now: Millis, uptime: Uptime) -> Steadiness {
        let jump = now.0.saturating_sub(self.now.0).saturating_sub(uptime.since(self.uptime));
        self.now = now;
        self.uptime = uptime;
        if jump.saturating_abs() > JUMP_MS {
            self.steady_at = uptime.plus_ms(STEADY_MS);
            return Steadiness::Jumped(jump);
        }
        if uptime < self.steady_at { Steadiness::Waiting } else { Steadiness::Steady }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Millis = Millis(1_794_700_800_000);
    const MINUTE: i64 = 60_000;
    const DAY: i64 = 86_400_000;

    fn clock() -> SteadyClock {
        SteadyClock::new(START, Uptime(0), Duration::from_millis(MINUTE as u64))
    }

    #[test]
    fn the_clock_is_steady_after_the_first_interval() {
        let mut clock = clock();
        assert_eq!(clock.check(START.plus_ms(1_000), Uptime(1_000)), Steadiness::Waiting);
        assert_eq!(clock.check(START.plus_ms(MINUTE), Uptime(MINUTE)), Steadiness::Steady);
        // A correction by NTP.
        assert_eq!(clock.check(START.plus_ms(3 * MINUTE), Uptime(2 * MINUTE)), Steadiness::Steady);
    }

    #[test]
    fn after_a_jump_in_either_direction_it_is_steady_again_an_hour_later() {
        let mut clock = clock();
        let ahead = START.plus_ms(40 * DAY);
        assert_eq!(clock.check(ahead.plus_ms(MINUTE), Uptime(MINUTE)), Steadiness::Jumped(40 * DAY));
        assert_eq!(clock.check(ahead.plus_ms(2 * MINUTE), Uptime(2 * MINUTE)), Steadiness::Waiting);
        assert_eq!(clock.check(START.plus_ms(3 * MINUTE), Uptime(3 * MINUTE)), Steadiness::Jumped(-40 * DAY));
        let almost = 3 * MINUTE + STEADY_MS - 1;
        assert_eq!(clock.check(START.plus_ms(almost), Uptime(almost)), Steadiness::Waiting);
        assert_eq!(clock.check(START.plus_ms(almost + 1), Uptime(almost + 1)), Steadiness::Steady);
    }

    #[test]
    fn a_clock_far_ahead_of_the_last_sweep_is_watched_for_an_hour() {
        let mut clock = clock();
        assert!(!clock.compare(START.plus_ms(-DAY)));
        assert_eq!(clock.check(START.plus_ms(MINUTE), Uptime(MINUTE)), Steadiness::Steady);
        assert!(clock.compare(START.plus_ms(-2 * DAY)));
        assert_eq!(clock.check(START.plus_ms(2 * MINUTE), Uptime(2 * MINUTE)), Steadiness::Waiting);
    }
}
