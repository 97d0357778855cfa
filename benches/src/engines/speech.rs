//! Transcribes recordings with one model: one line of JSON per file.

use std::path::{Path, PathBuf};

use anyhow::Context;
use auris_domain::step::spec::TranscriptionSpec;
use auris_engines::{CallContext, Engines, Ignore, Tuning};
use clap::Args;
use serde_json::json;

use super::{Stopwatch, engines, peak_mebibytes, print};

#[derive(Args)]
pub(crate) struct SpeechRun {
    models_dir: PathBuf,
    model: String,
    threads: usize,
    files: Vec<PathBuf>,
}

/// The first file is transcribed once before, so that loading the model is not measured.
pub(crate) fn run(run: &SpeechRun) -> anyhow::Result<()> {
    let tuning = Tuning { threads: run.threads, ..Tuning::default() };
    let engines = engines(run.models_dir.clone(), &tuning)?;
    if let Some(first) = run.files.first() {
        transcribe(&engines, &run.model, first)?;
    }
    for file in &run.files {
        measure(&engines, &run.model, file)?;
    }
    Ok(())
}

/// The text, and the seconds of audio.
fn transcribe(engines: &Engines, model: &str, file: &Path) -> anyhow::Result<(String, f64)> {
    let transcriber = engines.transcriber(model).context("the model is not installed")?;
    let spec = TranscriptionSpec::default();
    let source = engines.source(file);
    let finished = transcriber.transcribe(&source, &spec, &mut Ignore, &CallContext::alone())?;
    Ok((finished.transcript.text, finished.duration_seconds))
}

fn measure(engines: &Engines, model: &str, file: &Path) -> anyhow::Result<()> {
    let stopwatch = Stopwatch::start()?;
    let (text, audio_seconds) = transcribe(engines, model, file)?;
    print(&json!({
        "model": model, "file": file, "audio_seconds": audio_seconds,
        "wall_seconds": stopwatch.wall_seconds(), "cpu_seconds": stopwatch.cpu_seconds()?,
        "peak_mebibytes": peak_mebibytes(), "text": text,
    }))
}
