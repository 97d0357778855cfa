//! Diarizes recordings: one line of JSON per file.

use std::path::{Path, PathBuf};

use anyhow::Context;
use auris_domain::step::spec::DiarizationSpec;
use auris_engines::{CallContext, Engines, Ignore, Tuning};
use clap::Args;
use serde_json::json;

use super::{Stopwatch, engines, peak_mebibytes, print};

#[derive(Args)]
pub(crate) struct DiarizationRun {
    threads: usize,
    files: Vec<PathBuf>,
}

pub(crate) fn run(run: &DiarizationRun) -> anyhow::Result<()> {
    let engines = engines(PathBuf::new(), &Tuning { threads: run.threads, ..Tuning::default() })?;
    for file in &run.files {
        measure(&engines, file)?;
    }
    Ok(())
}

fn measure(engines: &Engines, file: &Path) -> anyhow::Result<()> {
    let diarizer = engines.diarizer("pyannote-campplus").context("the diarizer is not in the catalogue")?;
    let stopwatch = Stopwatch::start();
    let spec = DiarizationSpec::default();
    let found = diarizer.diarize(&engines.source(file), &spec, &mut Ignore, &CallContext::alone())?;
    print(&json!({
        "file": file, "audio_seconds": found.duration_seconds, "wall_seconds": stopwatch.wall_seconds(),
        "cpu_seconds": stopwatch.cpu_seconds(), "peak_mebibytes": peak_mebibytes(),
        "speakers": found.diarization.speakers.len(), "turns": found.diarization.turns.len(),
    }))
}
