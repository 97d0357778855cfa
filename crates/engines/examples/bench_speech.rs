//! Measures a speech model: `bench_speech MODELS_DIR MODEL THREADS FILE…` prints one line of JSON per file.
//!
//! The first file is heard once before, so that loading the model is not measured.

use std::path::{Path, PathBuf};
use std::time::Instant;

use auris_engines::{
    CallContext, Catalog, EngineSettings, Engines, Ignore, SpeechOptions, Transcript, Tuning,
};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [models_dir, model, threads, files @ ..] = arguments.as_slice() else {
        return Err("usage: bench_speech MODELS_DIR MODEL THREADS FILE…".into());
    };
    let settings = EngineSettings { models_dir: PathBuf::from(models_dir), max_audio_seconds: 1e9 };
    let tuning = Tuning { threads: threads.parse()?, ..Tuning::default() };
    let engines = Engines::tuned(Catalog::built_in()?, settings, &tuning);
    if let Some(first) = files.first() {
        transcribe(&engines, model, Path::new(first))?;
    }
    for file in files {
        measure(&engines, model, Path::new(file))?;
    }
    Ok(())
}

fn transcribe(engines: &Engines, model: &str, file: &Path) -> Result<Transcript, Failure> {
    let transcriber = engines.transcriber(model).ok_or("the model is not installed")?;
    let (source, options) = (engines.source(file), SpeechOptions::default());
    Ok(transcriber.transcribe(&source, &options, &mut Ignore, &CallContext::alone())?)
}

fn measure(engines: &Engines, model: &str, file: &Path) -> Result<(), Failure> {
    let (started, before) = (Instant::now(), cpu_seconds()?);
    let transcript = transcribe(engines, model, file)?;
    let (wall, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds()? - before);
    let line = serde_json::json!({
        "model": model, "file": file, "audio_seconds": transcript.duration_seconds, "wall_seconds": wall,
        "cpu_seconds": cpu, "peak_mebibytes": peak_mebibytes(), "text": transcript.text,
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
