//! `auris transcribe`: files in, transcripts out, without a server.

mod diarize;
mod input;
mod output;
mod progress;

use std::sync::Arc;

use anyhow::{Context, bail};
use auris_engines::{CallContext, EngineError, Engines, SpeechOptions};
use auris_service::speech;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::cli::Transcribe;
use crate::config::Config;
use crate::engines;
use input::Recording;
use output::{Heard, Output};
use progress::Progress;

/// Transcribes every file; one that fails does not keep the others from being heard. True when Ctrl-C ended it.
pub(crate) async fn run(words: Transcribe, config: &Config) -> anyhow::Result<bool> {
    diarize::check(&words);
    let output = Output::new(&words)?;
    let engines = Arc::new(engines::build(config)?);
    // Nothing is installed for files that are not there.
    if words.files.iter().any(|name| input::is_there(name)) {
        engines::ensure(config, &engines, &words.model).await?;
    }
    let cancel = CancellationToken::new();
    tokio::spawn(cancel_on_interrupt(cancel.clone()));
    let mut failed = 0;
    for name in &words.files {
        match transcribe(&engines, &words, name, &cancel).await {
            Ok(heard) => output.write(name, &heard)?,
            Err(_) if cancel.is_cancelled() => return Ok(true),
            Err(error) => {
                failed += 1;
                eprintln!("auris: {name}: {error:#}");
            }
        }
    }
    if failed > 0 {
        bail!("{failed} of {} files could not be transcribed", words.files.len());
    }
    Ok(false)
}

async fn transcribe(
    engines: &Arc<Engines>,
    words: &Transcribe,
    name: &str,
    cancel: &CancellationToken,
) -> anyhow::Result<Heard> {
    let recording = Recording::open(name)?;
    let transcriber = engines.transcriber(&words.model).with_context(|| engines::unknown(&words.model))?;
    let audio = engines.source(recording.path());
    let options = SpeechOptions { language: words.language.clone(), prompt: words.prompt.clone() };
    let context = CallContext::synchronous("", name, cancel.clone());
    let mut progress = Progress::new(name);
    let heard = tokio::task::spawn_blocking(move || {
        let heard = transcriber.transcribe(&audio, &options, &mut progress, &context);
        progress.end();
        heard
    });
    let heard = heard.await?.map_err(|error: EngineError| anyhow::anyhow!(error))?;
    let transcript = speech::document(&heard);
    if words.diarize {
        return diarize::add_speakers(engines, words, name, recording, transcript, cancel).await;
    }
    Ok(Heard { transcript, diarization: None })
}

/// The result document of one recording: its transcript, and who spoke when where that is wanted.
pub(super) async fn document(
    engines: &Arc<Engines>,
    words: &Transcribe,
    name: &str,
    cancel: &CancellationToken,
) -> anyhow::Result<Value> {
    let heard = transcribe(engines, words, name, cancel).await?;
    let mut document = json!({"transcript": heard.transcript.document()});
    if let Some(diarization) = heard.diarization {
        document["diarization"] = diarization;
    }
    Ok(document)
}

pub(super) async fn cancel_on_interrupt(cancel: CancellationToken) {
    if tokio::signal::ctrl_c().await.is_ok() {
        cancel.cancel();
    }
}
