//! A queue that people know, graphile_worker, on the same server with the same durability.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};

use crate::home::Home;

/// Jobs per second; `None` where `scripts/bench` did not install it.
pub(crate) fn rate(home: &Home, workers: usize, time: Duration) -> anyhow::Result<Option<f64>> {
    let Some(folder) = std::env::var_os("AURIS_BENCH_GRAPHILE").map(PathBuf::from) else { return Ok(None) };
    let script = std::env::var("AURIS_BENCH_GRAPHILE_SCRIPT").context("AURIS_BENCH_GRAPHILE_SCRIPT")?;
    let output = Command::new("node")
        .arg(script)
        .args([home.database.url.clone(), workers.to_string(), time.as_millis().to_string()])
        .current_dir(folder)
        .output()
        .context("cannot run node")?;
    if !output.status.success() {
        bail!("graphile_worker: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let rate = text.lines().last().and_then(|line| line.trim().parse().ok());
    rate.map(Some).with_context(|| format!("graphile_worker tells no rate: {text}"))
}
