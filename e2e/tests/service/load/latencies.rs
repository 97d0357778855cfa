//! How long the requests of the honest callers took.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Times by kind of request.
#[derive(Default)]
pub(super) struct Latencies {
    times: BTreeMap<&'static str, Vec<Duration>>,
}

impl Latencies {
    pub(super) fn record(&mut self, kind: &'static str, time: Duration) {
        self.times.entry(kind).or_default().push(time);
    }

    pub(super) fn add(&mut self, other: Self) {
        for (kind, times) in other.times {
            self.times.entry(kind).or_default().extend(times);
        }
    }

    pub(super) fn count(&self) -> usize {
        self.times.values().map(Vec::len).sum()
    }

    /// The 99th percentile over all kinds, in seconds.
    pub(super) fn p99(&self) -> f64 {
        percentile(self.times.values().flatten().copied().collect(), 99)
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, times) in &self.times {
            let [p50, p99] = [50, 99].map(|percent| percentile(times.clone(), percent) * 1e3);
            writeln!(f, "  {kind:<24} {:>6} requests  p50 {p50:>7.1} ms  p99 {p99:>7.1} ms", times.len())?;
        }
        write!(f, "  {:<24} {:>6} requests  p99 {:>7.1} ms", "all", self.count(), self.p99() * 1e3)
    }
}

/// In seconds; 0 without times.
fn percentile(mut times: Vec<Duration>, percent: usize) -> f64 {
    times.sort_unstable();
    let index = (times.len() * percent / 100).min(times.len().saturating_sub(1));
    times.get(index).map_or(0.0, Duration::as_secs_f64)
}
