//! `auris analyze`: what is in a recording or a transcript, without a server.

mod input;
mod render;
mod stages;

use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use auris_engines::{CallContext, Engines, TextRequest};
use auris_service::analysis;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::transcribe;
use super::{print, print_json};
use crate::cli::{Analyze, Format, Transcribe};
use crate::config::Config;
use crate::engines;
use stages::Stage;

/// Analyses one recording or transcript. True when Ctrl-C ended it.
pub(crate) async fn run(words: Analyze, config: &Config) -> anyhow::Result<bool> {
    let engines = Arc::new(engines::build(config)?);
    let stages = stages::wanted(&words, &engines)?;
    let cancel = CancellationToken::new();
    tokio::spawn(transcribe::cancel_on_interrupt(cancel.clone()));
    let analysed = analyse(&words, config, &engines, stages, &cancel).await;
    if cancel.is_cancelled() {
        return Ok(true);
    }
    let document = analysed?;
    if words.json {
        print_json(&document)?
    } else {
        print(&render::text(&document))?
    }
    Ok(false)
}

async fn analyse(
    words: &Analyze,
    config: &Config,
    engines: &Arc<Engines>,
    stages: Vec<Stage>,
    cancel: &CancellationToken,
) -> anyhow::Result<Value> {
    // What is missing is said or installed before anything is heard.
    for stage in &stages {
        engines::ensure(config, engines, &stage.model).await?;
    }
    let mut document = match &words.transcript {
        Some(name) => json!({"transcript": input::transcript(name, words.language.as_deref())?}),
        None => heard(words, config, engines, cancel).await?,
    };
    let transcript = Arc::new(analysis::text_transcript(&document["transcript"]));
    for stage in stages {
        let request =
            TextRequest { operation: stage.operation(&document), transcript: Arc::clone(&transcript) };
        let output = ask(engines, &stage, request, cancel).await?;
        match &stage.task {
            Some(id) => document["tasks"][id] = output,
            None => document[stage.key] = output,
        }
    }
    Ok(document)
}

/// Transcribes the recording, as `auris transcribe` does, and tells its speakers apart where that is wanted.
async fn heard(
    words: &Analyze,
    config: &Config,
    engines: &Arc<Engines>,
    cancel: &CancellationToken,
) -> anyhow::Result<Value> {
    let Some(name) = &words.file else { bail!("name a recording, or a transcript with --transcript FILE") };
    if name != "-" && !Path::new(name).is_file() {
        bail!("there is no file `{name}`");
    }
    engines::ensure(config, engines, &words.model).await?;
    let hearing = Transcribe {
        files: vec![],
        model: words.model.clone(),
        language: words.language.clone(),
        prompt: None,
        format: Format::Json,
        output: None,
        diarize: words.diarize,
        min_speakers: None,
        max_speakers: None,
    };
    transcribe::document(engines, &hearing, name, cancel).await
}

async fn ask(
    engines: &Arc<Engines>,
    stage: &Stage,
    request: TextRequest,
    cancel: &CancellationToken,
) -> anyhow::Result<Value> {
    let (engines, model) = (Arc::clone(engines), stage.model.clone());
    let context = CallContext::synchronous("", "analyze", cancel.clone());
    let mut progress = stages::StageProgress::new(stage.task.as_deref().unwrap_or(stage.key));
    let asked = tokio::task::spawn_blocking(move || {
        let Some(text) = engines.text(&model) else { bail!(engines::unknown(&model)) };
        let answer = text.run(&request, &mut progress, &context);
        progress.end();
        Ok(answer?.output)
    });
    asked.await?
}
