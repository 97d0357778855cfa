//! One run of an engine in this process, reported as a line of JSON. The programs in `scripts/lib` start many such runs
//! and compare them with other engines.

pub(crate) mod diarization;
pub(crate) mod language;
pub(crate) mod speech;
pub(crate) mod text;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use auris_engines::{Catalog, EngineSettings, Engines, Tuning};
use serde_json::Value;

/// Linux counts the CPU time of a process in hundredths of a second on every platform that Auris runs on.
const TICKS_PER_SECOND: f64 = 100.0;

/// Wall time and CPU time since the start.
struct Stopwatch {
    started: Instant,
    cpu_before: f64,
}

impl Stopwatch {
    fn start() -> anyhow::Result<Self> {
        Ok(Self { started: Instant::now(), cpu_before: cpu_seconds()? })
    }

    fn wall_seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    fn cpu_seconds(&self) -> anyhow::Result<f64> {
        Ok(cpu_seconds()? - self.cpu_before)
    }
}

fn engines(models_dir: PathBuf, tuning: &Tuning) -> anyhow::Result<Engines> {
    let settings = EngineSettings { models_dir, max_audio_seconds: 1e9 };
    Ok(Engines::tuned(Catalog::built_in()?, settings, tuning))
}

fn print(line: &Value) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}

/// User and system time of this process.
fn cpu_seconds() -> anyhow::Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11);
    let mut ticks = || fields.next().context("/proc/self/stat has too few fields");
    let user: f64 = ticks()?.parse()?;
    let system: f64 = ticks()?.parse()?;
    Ok((user + system) / TICKS_PER_SECOND)
}

fn peak_mebibytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kibibytes| kibibytes / 1024)
}
