//! Points in time: Unix seconds in the API, Unix milliseconds inside the service.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, NaiveDate, NaiveTime, SecondsFormat};
use serde::{Deserialize, Serialize};

/// Unix seconds: the form of every timestamp in the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

/// Unix milliseconds, for leases, schedules and ids, which need more precision than seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub i64);

impl Timestamp {
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds))
    }

    /// The first second of a day in UTC. `None` unless the text is a date such as `2026-11-15`.
    pub fn of_day(text: &str) -> Option<Self> {
        let midnight = text.parse::<NaiveDate>().ok()?.and_time(NaiveTime::MIN).and_utc();
        // The library also accepts forms such as `2026-1-5`.
        Some(Self(midnight.timestamp())).filter(|first| first.day() == text)
    }

    /// The date in UTC, such as `2026-11-15`.
    pub fn day(self) -> String {
        self.to_rfc3339().chars().take_while(|letter| *letter != 'T').collect()
    }

    /// RFC 3339 with a `Z`, as in webhook bodies.
    pub fn to_rfc3339(self) -> String {
        let moment = DateTime::from_timestamp(self.0, 0);
        moment.map_or_else(|| self.0.to_string(), |moment| moment.to_rfc3339_opts(SecondsFormat::Secs, true))
    }
}

impl Millis {
    pub fn timestamp(self) -> Timestamp {
        Timestamp(self.0.div_euclid(1000))
    }

    /// The same moment for the file system and the object store.
    pub fn to_system_time(self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.0.max(0).unsigned_abs())
    }

    pub fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds since `earlier`; zero if `earlier` is later, which happens when a clock is set back.
    pub fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0).max(0)
    }
}

/// Milliseconds of a clock that nobody can set, for the age of what is kept in memory. Where it begins has no meaning, so
/// it is never stored or compared between processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Uptime(pub i64);

impl Uptime {
    pub fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds since `earlier`; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0).max(0)
    }
}

/// The source of the current time. Tests use a manual clock and advance it themselves.
#[derive(Debug, Clone)]
pub enum Clock {
    System,
    Manual(Arc<ManualTime>),
}

/// The state of a manual clock.
#[derive(Debug)]
pub struct ManualTime {
    now: AtomicI64,
    uptime: AtomicI64,
}

impl Clock {
    pub fn manual(start: Millis) -> Self {
        Self::Manual(Arc::new(ManualTime { now: AtomicI64::new(start.0), uptime: AtomicI64::new(0) }))
    }

    pub fn now(&self) -> Millis {
        match self {
            Self::System => system_time(),
            Self::Manual(time) => Millis(time.now.load(Ordering::SeqCst)),
        }
    }

    /// The time for ages and deadlines in memory, which must not change when an administrator sets the clock.
    pub fn uptime(&self) -> Uptime {
        match self {
            Self::System => system_uptime(),
            Self::Manual(time) => Uptime(time.uptime.load(Ordering::SeqCst)),
        }
    }

    /// Advances a manual clock. A negative number sets it back, which leaves its uptime as it is. Does nothing to the
    /// system clock.
    pub fn advance(&self, ms: i64) {
        match self {
            Self::System => {}
            Self::Manual(time) => {
                time.now.fetch_add(ms, Ordering::SeqCst);
                time.uptime.fetch_add(ms.max(0), Ordering::SeqCst);
            }
        }
    }

    /// Sets a manual clock forward and leaves its uptime as it is, as an administrator or a suspended machine does. Does
    /// nothing to the system clock.
    pub fn set_forward(&self, ms: i64) {
        match self {
            Self::System => {}
            Self::Manual(time) => {
                time.now.fetch_add(ms, Ordering::SeqCst);
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the system's clock")]
fn system_time() -> Millis {
    Millis(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_millis() as i64))
}

fn system_uptime() -> Uptime {
    static START: OnceLock<Instant> = OnceLock::new();
    Uptime(START.get_or_init(Instant::now).elapsed().as_millis() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_round_down_to_seconds() {
        assert_eq!(Millis(1_999).timestamp(), Timestamp(1));
        assert_eq!(Millis(-1).timestamp(), Timestamp(-1));
    }

    #[test]
    fn days_are_in_utc_and_can_be_parsed() {
        assert_eq!(Timestamp::of_day("2026-11-15").unwrap().day(), "2026-11-15");
        assert_eq!(Timestamp(86_399).day(), "1970-01-01");
        assert_eq!(Timestamp::of_day("1970-01-02"), Some(Timestamp(86_400)));
        for text in [
            "",
            "2026-13-01",
            "2026-1-05",
            "+2026-01-05",
            " 2026-01-05",
            "yesterday",
            "2026-11-15T00:00:00Z!",
        ] {
            assert_eq!(Timestamp::of_day(text), None, "{text}");
        }
    }

    #[test]
    fn rfc3339_is_utc() {
        assert_eq!(Timestamp(0).to_rfc3339(), "1970-01-01T00:00:00Z");
    }

    #[test]
    fn a_manual_clock_moves_only_when_it_is_advanced() {
        let clock = Clock::manual(Millis(5));
        let clone = clock.clone();
        clone.advance(10);
        assert_eq!(clock.now(), Millis(15));
    }

    #[test]
    fn uptime_goes_on_when_a_clock_is_set_back() {
        let clock = Clock::manual(Millis(1_000));
        clock.advance(10);
        clock.advance(-500);
        assert_eq!((clock.now(), clock.uptime()), (Millis(510), Uptime(10)));
        clock.advance(5);
        assert_eq!(clock.uptime().since(Uptime(10)), 5);
        let earlier = Clock::System.uptime();
        assert!(Clock::System.uptime() >= earlier);
    }
}
