//! Transcribes recordings with one model: one line of JSON per file.

use std::path::{Path, PathBuf};

use anyhow::Context;
use auris_domain::step::spec::TranscriptionSpec;
use auris_engines::{CallContext, Engines, Ignore, Tuning, kernel_level};
use clap::Args;
use serde_json::{Value, json};

use super::{Stopwatch, engines, peak_mebibytes, print, resident_mebibytes};

#[derive(Args)]
pub(crate) struct SpeechRun {
    models_dir: PathBuf,
    model: String,
    threads: usize,
    files: Vec<PathBuf>,
    /// Also transcribe the segments of each file without decoding, voice detection and cutting
    #[arg(long)]
    nets: bool,
    /// The language of the recordings; without it, it is detected
    #[arg(long)]
    language: Option<String>,
}

/// The first file is transcribed once before, so that loading the model is not measured.
pub(crate) fn run(run: &SpeechRun) -> anyhow::Result<()> {
    let tuning = Tuning { threads: run.threads, ..Tuning::default() };
    let engines = engines(run.models_dir.clone(), &tuning)?;
    let baseline = resident_mebibytes();
    if let Some(first) = run.files.first() {
        run.transcribe(&engines, first)?;
    }
    for file in &run.files {
        let mut line = run.measure(&engines, file)?;
        line["baseline_mebibytes"] = json!(baseline);
        print(&line)?;
    }
    Ok(())
}

impl SpeechRun {
    /// The text, and the seconds of audio.
    fn transcribe(&self, engines: &Engines, file: &Path) -> anyhow::Result<(String, f64)> {
        let transcriber = engines.transcriber(&self.model).context("the model is not installed")?;
        let spec = TranscriptionSpec { language: self.language.clone(), ..TranscriptionSpec::default() };
        let source = engines.source(file);
        let finished = transcriber.transcribe(&source, &spec, &mut Ignore, &CallContext::alone())?;
        Ok((finished.transcript.text, finished.duration_seconds))
    }

    fn measure(&self, engines: &Engines, file: &Path) -> anyhow::Result<Value> {
        let stopwatch = Stopwatch::start();
        let (text, audio_seconds) = self.transcribe(engines, file)?;
        let mut line = json!({
            "model": self.model, "file": file, "audio_seconds": audio_seconds, "text": text,
            "wall_seconds": stopwatch.wall_seconds(), "cpu_seconds": stopwatch.cpu_seconds(),
            "level": kernel_level().name(),
        });
        if self.nets {
            self.measure_nets(engines, file, &mut line)?;
        }
        line["load_seconds"] = json!(engines.load_time(&self.model).map(|time| time.as_secs_f64()));
        line["peak_mebibytes"] = json!(peak_mebibytes());
        line["resident_mebibytes"] = json!(resident_mebibytes());
        Ok(line)
    }

    /// Only what the model computes, on segments that were cut before.
    fn measure_nets(&self, engines: &Engines, file: &Path, line: &mut Value) -> anyhow::Result<()> {
        let speech = engines.local_speech(&self.model).context("the model is not a local speech model")?;
        let recording = speech.cut(&engines.source(file))?;
        let stopwatch = Stopwatch::start();
        let text = speech.transcribe_cut(recording, self.language.as_deref(), &CallContext::alone())?;
        line["nets_wall_seconds"] = json!(stopwatch.wall_seconds());
        line["nets_cpu_seconds"] = json!(stopwatch.cpu_seconds());
        line["nets_text"] = json!(text);
        Ok(())
    }
}
