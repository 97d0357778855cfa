//! Measures the diarizer: `bench_diarize THREADS FILE…` prints one line of JSON per file.

use std::path::{Path, PathBuf};
use std::time::Instant;

use auris_engines::{CallContext, Catalog, DiarizationOptions, EngineSettings, Engines, Ignore, Tuning};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [threads, files @ ..] = arguments.as_slice() else {
        return Err("usage: bench_diarize THREADS FILE…".into());
    };
    let settings = EngineSettings { models_dir: PathBuf::new(), max_audio_seconds: 1e9 };
    let tuning = Tuning { threads: threads.parse()?, ..Tuning::default() };
    let engines = Engines::tuned(Catalog::built_in()?, settings, &tuning);
    for file in files {
        measure(&engines, Path::new(file))?;
    }
    Ok(())
}

fn measure(engines: &Engines, file: &Path) -> Result<(), Failure> {
    let diarizer = engines.diarizer("pyannote-campplus").ok_or("the diarizer is not in the catalogue")?;
    let (started, before) = (Instant::now(), cpu_seconds()?);
    let options = DiarizationOptions::default();
    let diarization =
        diarizer.diarize(&engines.source(file), &options, &mut Ignore, &CallContext::alone())?;
    let (wall, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds()? - before);
    let line = serde_json::json!({
        "file": file, "audio_seconds": diarization.duration_seconds, "wall_seconds": wall, "cpu_seconds": cpu,
        "peak_mebibytes": peak_mebibytes(), "speakers": diarization.speakers.len(), "turns": diarization.turns,
    });
    use std::io::Write as _;
    writeln!(std::io::stdout(), "{line}")?;
    Ok(())
}

/// User and system time of this process, from Linux's own books.
fn cpu_seconds() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: f64 =
        fields.get(11).ok_or("no time")?.parse::<f64>()? + fields.get(12).ok_or("no time")?.parse::<f64>()?;
    Ok(ticks / 100.0)
}

fn peak_mebibytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kibibytes| kibibytes / 1024)
}
