//! `auris analyze`: stages and tasks on a recording or a transcript, without a server.

mod input;
mod render;
mod stages;

use std::path::Path;

use anyhow::bail;
use auris_domain::result::{DocumentTranscript, ResultDocument};
use auris_domain::step::output::TaskOutput;
use auris_domain::step::spec::{DiarizationSpec, TranscriptionSpec};
use auris_domain::step::{StageOutput, StepOutput};
use auris_service::local::LocalEngines;

use super::transcribe::{self, Options};
use super::{print, print_json};
use crate::cli::Analyze;
use crate::config::Config;
use crate::progress_bar::StageBar;
use crate::{model_setup, wiring};
use stages::{PlannedStage, PlannedTask};

/// Analyzes one recording or transcript. True if Ctrl-C ended it.
pub(crate) async fn run(args: Analyze, config: &Config) -> anyhow::Result<bool> {
    let engines = wiring::local_engines(config, transcribe::cancelled_by_interrupt())?;
    let analyzed = analyze(&args, config, &engines).await;
    if engines.is_cancelled() {
        return Ok(true);
    }
    let document = analyzed?;
    if args.json {
        print_json(&document)?;
    } else {
        print(&render::text(&document))?;
    }
    Ok(false)
}

async fn analyze(args: &Analyze, config: &Config, engines: &LocalEngines) -> anyhow::Result<ResultDocument> {
    let stages = stages::stages(args, engines)?;
    let tasks = stages::tasks(args, engines)?;
    // Missing models are installed before the long work starts.
    for model in stages.iter().map(|stage| &stage.model).chain(tasks.iter().map(|task| &task.model)) {
        model_setup::ensure_installed(config, engines, model).await?;
    }
    let mut document = match &args.transcript {
        Some(name) => {
            ResultDocument::new(Some(input::transcript(name, args.language.as_deref())?), Vec::new())
        }
        None => transcribed(args, config, engines).await?,
    };
    for planned in stages {
        let output = run_stage(engines, &document, &planned).await?;
        document.stages.push((planned.stage.capability().as_str().to_owned(), output));
    }
    for planned in tasks {
        let id = planned.spec.id.clone();
        let output = run_task(engines, &document, planned).await?;
        document.tasks.push((id, output));
    }
    Ok(document)
}

/// Transcribes the recording as `auris transcribe` does, with speakers if asked for.
async fn transcribed(
    args: &Analyze,
    config: &Config,
    engines: &LocalEngines,
) -> anyhow::Result<ResultDocument> {
    let Some(name) = &args.file else { bail!("name a recording, or a transcript with --transcript FILE") };
    if name != "-" && !Path::new(name).is_file() {
        bail!("there is no file `{name}`");
    }
    model_setup::ensure_installed(config, engines, &args.model).await?;
    let options = Options {
        model: args.model.clone(),
        spec: TranscriptionSpec { language: args.language.clone(), prompt: None },
        speakers: args.diarize.then(DiarizationSpec::default),
    };
    transcribe::transcribe(engines, &options, name).await
}

async fn run_stage(
    engines: &LocalEngines,
    document: &ResultDocument,
    planned: &PlannedStage,
) -> anyhow::Result<StageOutput> {
    let bar = StageBar::new(planned.stage.capability().as_str());
    let stage = planned.stage.clone();
    let output = engines.run_stage(document, &planned.model, stage, |share| bar.show(share)).await?;
    match output {
        StepOutput::Stage(output) => Ok(output),
        StepOutput::Transcript(_) | StepOutput::Diarization(_) | StepOutput::Task(_) => {
            bail!("the model `{}` returned the output of another kind of step", planned.model)
        }
    }
}

/// A task reads the utterances, or the text if there are none.
async fn run_task(
    engines: &LocalEngines,
    document: &ResultDocument,
    planned: PlannedTask,
) -> anyhow::Result<TaskOutput> {
    let PlannedTask { mut spec, model } = planned;
    let source = if has_utterances(document) { "#/transcript/utterances" } else { "#/transcript/text" };
    spec.sources = vec![source.to_owned()];
    let bar = StageBar::new(&spec.id);
    match engines.run_task(document, &model, spec, |share| bar.show(share)).await? {
        StepOutput::Task(output) => Ok(output),
        StepOutput::Transcript(_) | StepOutput::Diarization(_) | StepOutput::Stage(_) => {
            bail!("the model `{model}` returned the output of another kind of step")
        }
    }
}

fn has_utterances(document: &ResultDocument) -> bool {
    match &document.transcript {
        Some(DocumentTranscript::Recognised(transcript)) => !transcript.utterances.is_empty(),
        Some(DocumentTranscript::Source(transcript)) => !transcript.utterances.is_empty(),
        None => false,
    }
}
