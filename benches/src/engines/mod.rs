//! One run of an engine in this process, reported as a line of JSON. The programs in `scripts/lib` start many such runs
//! and compare them with other engines.

pub(crate) mod diarization;
pub(crate) mod language;
pub(crate) mod speech;
pub(crate) mod text;

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use auris_engines::{Catalog, EngineSettings, Engines, Tuning};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

use crate::measure::process_memory;

/// Wall time and CPU time since the start.
struct Stopwatch {
    started: Instant,
    cpu_before: f64,
}

impl Stopwatch {
    fn start() -> Self {
        Self { started: Instant::now(), cpu_before: cpu_seconds() }
    }

    fn wall_seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    fn cpu_seconds(&self) -> f64 {
        cpu_seconds() - self.cpu_before
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
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn peak_mebibytes() -> Option<u64> {
    mebibytes("VmHWM")
}

fn resident_mebibytes() -> Option<u64> {
    mebibytes("VmRSS")
}

fn mebibytes(field: &str) -> Option<u64> {
    process_memory::bytes("self", field).ok().map(|bytes| bytes >> 20)
}
