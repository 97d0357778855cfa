//! graphile_worker, a well-known job queue, on the same PostgreSQL with the same durability.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, ensure};

use crate::fixture::Fixture;

/// Jobs per second; `None` if `scripts/bench` did not install graphile_worker.
pub(super) fn rate(fixture: &Fixture, workers: usize, time: Duration) -> anyhow::Result<Option<f64>> {
    let Some(folder) = std::env::var_os("AURIS_BENCH_GRAPHILE").map(PathBuf::from) else { return Ok(None) };
    let script = std::env::var("AURIS_BENCH_GRAPHILE_SCRIPT").context("AURIS_BENCH_GRAPHILE_SCRIPT")?;
    let output = Command::new("node")
        .arg(script)
        .args([fixture.database.url.clone(), workers.to_string(), time.as_millis().to_string()])
        .current_dir(folder)
        .output()
        .context("cannot run node")?;
    ensure!(output.status.success(), "graphile_worker: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let rate = text.lines().last().and_then(|line| line.trim().parse().ok());
    rate.map(Some).with_context(|| format!("graphile_worker did not print a rate: {text}"))
}
