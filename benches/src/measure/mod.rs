//! Loops that run side by side for a while, and the statistics of what they did.

pub(crate) mod process_memory;
mod round_time;

use std::future::Future;
use std::time::{Duration, Instant};

pub(crate) use round_time::RoundTime;

/// One worker of a loop.
pub(crate) trait Work: Send + 'static {
    /// Does the work once and returns how many units that was. Zero means that nothing is left; the worker stops.
    fn once(&mut self) -> impl Future<Output = anyhow::Result<u64>> + Send;
}

/// Runs every worker again and again for the given time. Returns units per second and the workers, for the next round.
pub(crate) async fn rate<W: Work>(workers: Vec<W>, time: Duration) -> anyhow::Result<(f64, Vec<W>)> {
    let started = Instant::now();
    let mut tasks = Vec::new();
    for worker in workers {
        tasks.push(tokio::spawn(repeat(worker, started + time)));
    }
    let mut units = 0;
    let mut workers = Vec::new();
    for task in tasks {
        let (worker, done) = task.await??;
        units += done;
        workers.push(worker);
    }
    Ok((units as f64 / started.elapsed().as_secs_f64(), workers))
}

async fn repeat<W: Work>(mut worker: W, until: Instant) -> anyhow::Result<(W, u64)> {
    let mut units = 0;
    while Instant::now() < until {
        match worker.once().await? {
            0 => break,
            done => units += done,
        }
    }
    Ok((worker, units))
}

/// The middle value; of an even number of values, the upper of the two in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The value below which that share of all values lies. NaN if there are no values.
pub(crate) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = (sorted.len() as f64 * share) as usize;
    sorted.get(index.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_does_not_depend_on_the_order() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert!(median(&[]).is_nan());
    }
}
