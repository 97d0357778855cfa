//! `auris transcribe`: files in, transcripts out, without a server.

mod input;
mod output;

use anyhow::bail;
use auris_domain::result::ResultDocument;
use auris_domain::step::StepOutput;
use auris_domain::step::spec::{DiarizationSpec, TranscriptionSpec};
use auris_service::local::LocalEngines;
use clap::CommandFactory;
use futures::{FutureExt, StreamExt, stream};
use tokio_util::sync::CancellationToken;

use crate::cli::{Cli, Transcribe};
use crate::config::Config;
use crate::progress_bar::{AudioBar, hidden};
use crate::{model_setup, wiring};
use input::Recording;
use output::Output;

/// Files that are transcribed at once. A short recording cannot keep several cores busy, and models decode the segments of
/// several recordings together.
const FILES_AT_ONCE: usize = 8;

/// How to transcribe a recording.
pub(super) struct Options {
    pub(super) model: String,
    pub(super) spec: TranscriptionSpec,
    /// `None` if speakers are not asked for.
    pub(super) speakers: Option<DiarizationSpec>,
}

/// Transcribes every file. A file that fails does not stop the others. True if Ctrl-C ended it.
pub(crate) async fn run(args: Transcribe, config: &Config) -> anyhow::Result<bool> {
    check_speakers(&args);
    let output = Output::new(&args)?;
    let engines = wiring::local_engines(config, cancelled_by_interrupt())?;
    // No model is installed for files that do not exist.
    if args.files.iter().any(|name| input::exists(name)) {
        model_setup::ensure_installed(config, &engines, &args.model).await?;
    }
    let options = options(&args);
    let at_once = FILES_AT_ONCE.min(config.engines.synchronous_calls);
    let transcribed = |name| transcribe(&engines, &options, name).map(move |document| (name, document));
    let mut documents =
        stream::iter(args.files.iter().map(String::as_str)).map(transcribed).buffered(at_once);
    let mut failed = 0;
    while let Some((name, document)) = documents.next().await {
        match document {
            Ok(document) => hidden(|| output.write(name, &document))?,
            Err(_) if engines.is_cancelled() => return Ok(true),
            Err(error) => {
                failed += 1;
                hidden(|| eprintln!("auris: {name}: {error:#}"));
            }
        }
    }
    if failed > 0 {
        bail!("{failed} of {} files could not be transcribed", args.files.len());
    }
    Ok(false)
}

/// The result document of one recording: its transcript and, if asked for, its speakers.
pub(super) async fn transcribe(
    engines: &LocalEngines,
    options: &Options,
    name: &str,
) -> anyhow::Result<ResultDocument> {
    let recording = Recording::open(name)?;
    let path = recording.path();
    let bar = AudioBar::new(name);
    let progress = |position| bar.show(position);
    let transcript = engines.transcribe(path, &options.model, options.spec.clone(), progress).await?;
    drop(bar);
    let mut outputs = Vec::new();
    if let Some(spec) = options.speakers {
        let bar = AudioBar::new(&format!("{name} (speakers)"));
        let diarization = engines.diarize(path, &transcript, spec, |position| bar.show(position)).await?;
        outputs.push(("diarization".to_owned(), StepOutput::Diarization(diarization)));
    }
    outputs.insert(0, ("transcription".to_owned(), StepOutput::Transcript(transcript)));
    Ok(ResultDocument::new(None, outputs))
}

fn options(args: &Transcribe) -> Options {
    let speakers = DiarizationSpec { min_speakers: args.min_speakers, max_speakers: args.max_speakers };
    Options {
        model: args.model.clone(),
        spec: TranscriptionSpec { language: args.language.clone(), prompt: args.prompt.clone() },
        speakers: args.diarize.then_some(speakers),
    }
}

/// A token that Ctrl-C cancels.
pub(super) fn cancelled_by_interrupt() -> CancellationToken {
    let cancel = CancellationToken::new();
    let interrupted = cancel.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            interrupted.cancel();
        }
    });
    cancel
}

/// Refuses a minimum above the maximum in the same way as other invalid arguments.
fn check_speakers(args: &Transcribe) {
    if let (Some(min), Some(max)) = (args.min_speakers, args.max_speakers)
        && min > max
    {
        let message = format!("--min-speakers {min} is more than --max-speakers {max}");
        Cli::command().error(clap::error::ErrorKind::ValueValidation, message).exit()
    }
}
